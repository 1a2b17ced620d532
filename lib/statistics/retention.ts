import type { Database } from '@/lib/db/database';
import { DAY, KEPT_FOR, MINUTE, ROLLUP_STEPS } from '@/lib/statistics/step';
import { type Write, writeBehind } from '@/lib/statistics/writes';
import type { Millis } from '@/lib/units';

const DECISIONS_KEPT_FOR = 30 * DAY;
/** Most rows of the decisions log; the newest stay. */
export const MOST_DECISIONS = 100_000;
const KEY_DAYS_KEPT_FOR = 730 * DAY;

/** Retention of demand, in milliseconds: the hour of a dry-run and the hour before it. */
const DEMAND_KEPT_FOR = 130 * MINUTE;

const STEPS_AT_ONCE = 20;
const ROWS_AT_ONCE = 500;
/** Minutes of demand in one transaction; each holds up to 585 rows. */
const MINUTES_AT_ONCE = 2;

const oldSteps = (table: 'rollups' | 'refused_identifiers') =>
  `delete from ${table} where step = ? and start in (select distinct start from ${table} where step = ? and start < ? order by start limit ?)`;
const OLD_DECISIONS = 'delete from decisions where id in (select id from decisions where at < ? order by at limit ?)';
const SURPLUS_DECISIONS =
  'delete from decisions where id in (select id from decisions where id <= (select max(id) from decisions) - ? order by id limit ?)';
const OLD_DEMAND =
  'delete from demand where start in (select distinct start from demand where start < ? order by start limit ?)';
const OLD_KEY_DAYS =
  'delete from key_days where (api_key_id, day) in (select api_key_id, day from key_days where day < ? limit ?)';

/**
 * Deletes expired statistics, a few hundred rows in each short transaction.
 * @returns rows deleted
 * @throws DatabaseUnavailable
 */
export async function removeOutdated(database: Database, now: Millis): Promise<number> {
  const writes: Write[] = [
    ...ROLLUP_STEPS.flatMap((step): Write[] => {
      const args = [step, step, now - KEPT_FOR[step], STEPS_AT_ONCE];
      return [
        { sql: oldSteps('rollups'), args },
        { sql: oldSteps('refused_identifiers'), args },
      ];
    }),
    { sql: OLD_DECISIONS, args: [now - DECISIONS_KEPT_FOR, ROWS_AT_ONCE] },
    { sql: SURPLUS_DECISIONS, args: [MOST_DECISIONS, ROWS_AT_ONCE] },
    { sql: OLD_DEMAND, args: [now - DEMAND_KEPT_FOR, MINUTES_AT_ONCE] },
    { sql: OLD_KEY_DAYS, args: [now - KEY_DAYS_KEPT_FOR, ROWS_AT_ONCE] },
  ];
  let removed = 0;
  for (const write of writes) removed += await writeBehind(database, [write]);
  return removed;
}
