import { z } from 'zod';
import type { alerts } from '@/drizzle/alerts-schema';
import { ALERT_EVENTS, type Alert } from '@/lib/contract/alerts';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';

const AlertDataSchema = z
  .object({
    /** The problem, in a sentence. */
    summary: z.string(),
    /** Path of the page in the console that shows it. */
    link: z.string(),
  })
  .catchall(z.unknown());
/** Data that an alert stores and sends. */
export type AlertData = z.infer<typeof AlertDataSchema>;

export function alertDataIn(json: string): AlertData {
  return AlertDataSchema.parse(JSON.parse(json));
}

export function toAlert(row: typeof alerts.$inferSelect): Alert {
  const { summary, link, ...details } = alertDataIn(row.data);
  return {
    id: row.id,
    event: z.enum(ALERT_EVENTS).parse(row.event),
    subject: row.subject,
    ...{ summary, link, details },
    opened_at: toInstant(row.openedAt),
    resolved_at: toInstantOrNull(row.resolvedAt),
    resolution: row.resolution,
  };
}
