import { z } from 'zod';
import type { DeliveryAttempt } from '@/lib/contract/webhooks';

/** Number of attempts kept for a delivery. */
const MOST_KEPT = 10;

const Attempts = z.array(
  z.object({
    at: z.string(),
    status: z.int().nullable(),
    answer: z.string(),
    duration_ms: z.number(),
    // Attempts of earlier versions have none.
    headers: z.record(z.string(), z.string()).default({}),
  }),
);

export function parseAttempts(log: string): DeliveryAttempt[] {
  return Attempts.parse(JSON.parse(log));
}

export function addAttempt(log: string, attempt: DeliveryAttempt): string {
  return JSON.stringify([...parseAttempts(log), attempt].slice(-MOST_KEPT));
}
