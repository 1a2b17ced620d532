import { findRangeSubject } from '@/lib/admin/limits/counter-selection';
import { type Activity, readActivity as contract } from '@/lib/contract/activity';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { createInvalidField } from '@/lib/http/input';
import { parseRange } from '@/lib/limiter/address';
import { implement } from '@/lib/operation/operation';
import { readStoredActivity } from '@/lib/statistics/activity';
import { findStart } from '@/lib/statistics/step';
import { HOUR, MINUTE } from '@/lib/units';

const SUBJECTS = { ip: 'ip', user_id: 'user', api_key: 'client' } as const;

/** Returns the allowed and refused requests of one caller in the last hour. */
export const readActivity = implement(contract, async ({ services, now }, { query }): Promise<Activity> => {
  const { type } = query;
  const identifier = type === 'ip' ? requireCountedAddress(query.identifier) : query.identifier;
  const to = findStart(now, MINUTE);
  const from = to - HOUR;
  const { minutes, complete } = await readStoredActivity(services.database, SUBJECTS[type], identifier, from, to);
  return {
    type,
    identifier,
    from: formatTimestamp(from),
    to: formatTimestamp(to),
    complete,
    classes: sumByKey(minutes, (minute) => minute.class as Activity['classes'][number]['class']).map(
      ([name, counts]) => ({
        class: name,
        ...counts,
      }),
    ),
    minutes: sumByKey(minutes, ({ start }) => start).map(([start, counts]) => ({
      start: formatTimestamp(start),
      ...counts,
    })),
  };
});

/** Finds the counted subject of an address. @throws ApiError invalid_request if a range has more than one counter */
function requireCountedAddress(text: string): string {
  const range = parseRange(text);
  const subject = range && findRangeSubject(range);
  if (subject === null) throw createInvalidField('identifier', 'must be one address or an IPv6 range within one /64');
  return subject;
}

/** Sums counts by a key, in the order of first appearance. */
function sumByKey<Row extends { allowed: number; refused: number }, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
) {
  const sums = new Map<Key, { allowed: number; refused: number }>();
  for (const row of rows) {
    const { allowed, refused } = sums.get(keyOf(row)) ?? { allowed: 0, refused: 0 };
    sums.set(keyOf(row), { allowed: allowed + row.allowed, refused: refused + row.refused });
  }
  return [...sums];
}
