import { requireAnyKey } from '@/lib/admin/keys/row';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { readKeyStatistics as contract } from '@/lib/contract/key-statistics';
import { implement } from '@/lib/operation/operation';
import { readKeyDays } from '@/lib/statistics/key-days';
import { findStart } from '@/lib/statistics/step';
import { DAY } from '@/lib/units';

/** Returns the daily requests of one key, by default for 30 days. */
export const readKeyStatistics = implement(contract, async (context, { params, query }) => {
  const { database } = context.services;
  const key = await requireAnyKey(database, params.id);
  const today = findStart(context.now, DAY);
  const length = query.days ?? 30;
  const first = today - (length - 1) * DAY;
  const used = (await readKeyDays(database, [key.id], first)).get(key.id) ?? [];
  const counted = new Map(used.map((counts) => [counts.day, counts]));
  const days = Array.from({ length }, (_, index) => {
    const day = first + index * DAY;
    const { allowed = 0, refused = 0 } = counted.get(day) ?? {};
    return { day: formatTimestamp(day).slice(0, 10), allowed, refused };
  });
  return { api_key_id: key.id, days };
});
