import { movedMonthSentence } from '@/lib/admin/effect/sentences';
import { toInstant } from '@/lib/contract/fields/instant';
import type { QuotaUsage } from '@/lib/contract/quota';
import { createMonths } from '@/lib/limiter/month-anchor';
import { monthEnd } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** A change of the day on which a key's month begins. */
interface MovedMonth {
  /** Days of the month on which it begins, before and after the change. */
  from: number;
  to: number;
  /** Null while the counter store is down. */
  usage: Pick<QuotaUsage, 'usage' | 'limit'> | null;
  /** True if the key may exceed its quota. */
  unlimited: boolean;
}

/** States the end of the current month after its first day changes, and its usage. */
export function movedMonth(now: Millis, { from, to, usage, unlimited }: MovedMonth): string {
  const computeMonthEnd = (day: number) => toInstant(monthEnd(now, createMonths(day, 0).anchor));
  return movedMonthSentence(computeMonthEnd(from), computeMonthEnd(to), usage, unlimited);
}
