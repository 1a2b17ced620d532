import { z } from 'zod';
import { InFlightSchema, type LimitWindow, OwnWindows } from '@/lib/contract/fields/named-limit';
import { LimitSchema } from '@/lib/contract/policies';
import { count } from '@/lib/contract/resource';

/** Length of a month where only its order of magnitude matters, in seconds. */
const MONTH_SECONDS = 31 * 86_400;

/** Numbers in place of those of a named limit. Those that are absent stay the limit's. */
export const NamedNumbersSchema = z.object({
  windows: OwnWindows.optional(),
  in_flight: InFlightSchema.optional(),
});
export type NamedNumbers = z.output<typeof NamedNumbersSchema>;

/** Numbers of a class (one window) or of a named limit (its windows, its places or both), in requests. */
export const numbersInput = {
  limit: LimitSchema.shape.limit.optional().describe('Requests per window. Only for a class.'),
  window_seconds: LimitSchema.shape.window_seconds
    .optional()
    .describe('Length of the window in seconds. Only for a class.'),
  windows: OwnWindows.optional().describe(
    'Only for a named limit: 1 to 4 windows in place of its windows. If absent, its windows hold.',
  ),
  in_flight: InFlightSchema.optional().describe(
    'Only for a named limit: places in place of its places. If absent, its places hold.',
  ),
};

/** Numbers of a class or of a named limit, in answers. */
export const numbersFields = {
  limit: count.describe('Requests per window. Of a named limit: units of its shortest window, or its places.'),
  window_seconds: count.describe('Length of that window in seconds, or of the lease; 2,678,400 for a month.'),
  windows: OwnWindows.optional().describe('Only of a named limit, if it replaces its windows.'),
  in_flight: InFlightSchema.optional().describe('Only of a named limit, if it replaces its places.'),
};

/** Numbers as a request states them. */
interface StatedNumbers extends NamedNumbers {
  limit?: number | undefined;
  window_seconds?: number | undefined;
}

/** Rejects numbers of the other kind, and missing ones. @param isNamed whether they are for a named limit */
export function refineNumbers(
  { limit, window_seconds: seconds, windows, in_flight: inFlight }: StatedNumbers,
  isNamed: boolean,
  context: z.core.$RefinementCtx<unknown>,
): void {
  const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (isNamed) {
    if (limit !== undefined) issue('limit', 'is only for a class; a named limit has windows');
    if (seconds !== undefined) issue('window_seconds', 'is only for a class; a named limit has windows');
    if (windows === undefined && inFlight === undefined)
      issue('windows', 'must be 1 to 4 windows, unless in_flight is given');
    return;
  }
  if (windows !== undefined) issue('windows', 'is only for a named limit');
  if (inFlight !== undefined) issue('in_flight', 'is only for a named limit');
  if (limit === undefined) issue('limit', 'is required');
  if (seconds === undefined) issue('window_seconds', 'is required');
}

/** Numbers as they are stored. Those of a named limit are also summarized as one window. */
export interface StoredNumbers {
  limit: number;
  window_seconds: number;
  windows?: LimitWindow[];
  in_flight?: z.output<typeof InFlightSchema>;
}

/** Converts numbers that `refineNumbers` has accepted to those that are stored. */
export function buildStoredNumbers({
  limit = 0,
  window_seconds = 1,
  windows,
  in_flight,
}: StatedNumbers): StoredNumbers {
  const [shortest] = windows ?? [];
  if (shortest !== undefined) {
    const seconds = shortest.seconds === 'month' ? MONTH_SECONDS : shortest.seconds;
    return { limit: shortest.limit, window_seconds: seconds, ...{ windows }, ...(in_flight && { in_flight }) };
  }
  if (in_flight === undefined) return { limit, window_seconds };
  return { limit: in_flight.limit, window_seconds: in_flight.lease_seconds, in_flight };
}
