import { movedMonthSentence } from '@/lib/admin/effect/sentences';
import { toInstant } from '@/lib/contract/fields/instant';
import type { QuotaUsage } from '@/lib/contract/quota';
import { createMonths } from '@/lib/limiter/month-anchor';
import { monthEnd } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** A month of a key that begins on another day. */
interface MovedMonth {
  /** The days of the month on which it begins, today and then. */
  from: number;
  to: number;
  /** Null while the counter store is down. */
  usage: Pick<QuotaUsage, 'usage' | 'limit'> | null;
  /** Whether the key may go over its quota. */
  unlimited: boolean;
}

/** When the running month of a key ends that begins on another day, and what of it is used until then. */
export function movedMonth(now: Millis, { from, to, usage, unlimited }: MovedMonth): string {
  const endOf = (day: number) => toInstant(monthEnd(now, createMonths(day, 0).anchor));
  return movedMonthSentence(endOf(from), endOf(to), usage, unlimited);
}
