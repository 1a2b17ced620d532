import type { z } from 'zod';
import { callApi } from '@/components/api-client';
import type { Target } from '@/components/identifier/target';
import { InspectionSchema } from '@/lib/contract/counters';

export const countersKey = ['counters'] as const;

/** The live counters of one address or user. */
export async function readCounters(
  { type, identifier }: Target,
  signal: AbortSignal,
): Promise<z.infer<typeof InspectionSchema>> {
  const query = { type, identifier };
  return (await callApi('/v1/admin/rate-limit/counters', { query, schema: InspectionSchema, signal })).value;
}
