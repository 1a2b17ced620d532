import { formatMovedMonth } from '@/lib/admin/effect/sentences';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { QuotaUsage } from '@/lib/contract/quota';
import { createMonths } from '@/lib/limiter/month-anchor';
import { computeMonthEnd } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** A change of the day on which a key's month begins. */
interface MovedMonth {
  /** First day of the key's month, before and after the change: 1 to 31. */
  from: number;
  to: number;
  /** Null while the counter store is down. */
  usage: Pick<QuotaUsage, 'usage' | 'limit'> | null;
  /** True if the key may exceed its quota. */
  unlimited: boolean;
}

/** States the end of the current month after its first day changes, and its usage. */
export function describeMovedMonth(now: Millis, { from, to, usage, unlimited }: MovedMonth): string {
  const formatMonthEnd = (day: number) => formatTimestamp(computeMonthEnd(now, createMonths(day, 0).anchor));
  return formatMovedMonth(formatMonthEnd(from), formatMonthEnd(to), usage, unlimited);
}
