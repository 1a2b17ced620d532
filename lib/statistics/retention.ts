import type { Database } from '@/lib/db/database';
import { DAY, KEPT_FOR, MINUTE, ROLLUP_STEPS } from '@/lib/statistics/step';
import { type Write, writeBehind } from '@/lib/statistics/write-behind';
import type { Millis } from '@/lib/units';

/** How long the decisions log goes back, in milliseconds. */
const DECISIONS_KEPT_FOR = 30 * DAY;
/** Rows that the decisions log holds at most; the newest stay. */
export const MOST_DECISIONS = 100_000;
/** How long the days of an API key are kept, in milliseconds. */
const KEY_DAYS_KEPT_FOR = 730 * DAY;

/** How long the demand of identifiers is kept, in milliseconds: the hour of a dry-run and one hour before it. */
const DEMAND_KEPT_FOR = 130 * MINUTE;

const STEPS_AT_ONCE = 20;
const ROWS_AT_ONCE = 500;
/** Minutes of demand in one transaction; each holds up to 585 rows. */
const MINUTES_AT_ONCE = 2;

const OLD_ROLLUPS =
  'delete from rollups where step = ? and start in (select distinct start from rollups where step = ? and start < ? order by start limit ?)';
const OLD_IDENTIFIERS =
  'delete from refused_identifiers where step = ? and start in (select distinct start from refused_identifiers where step = ? and start < ? order by start limit ?)';
const OLD_DECISIONS = 'delete from decisions where id in (select id from decisions where at < ? order by at limit ?)';
const SURPLUS_DECISIONS =
  'delete from decisions where id in (select id from decisions where id <= (select max(id) from decisions) - ? order by id limit ?)';
const OLD_DEMAND =
  'delete from demand where start in (select distinct start from demand where start < ? order by start limit ?)';
const OLD_KEY_DAYS =
  'delete from key_days where (api_key_id, day) in (select api_key_id, day from key_days where day < ? limit ?)';

/**
 * Deletes what is older than it is kept for, a few hundred rows in each short transaction.
 * @returns how many rows went
 * @throws DatabaseUnavailable
 */
export async function removeOutdated(database: Database, now: Millis): Promise<number> {
  const writes: Write[] = [
    ...ROLLUP_STEPS.flatMap((step): Write[] => {
      const args = [step, step, now - KEPT_FOR[step], STEPS_AT_ONCE];
      return [
        { sql: OLD_ROLLUPS, args },
        { sql: OLD_IDENTIFIERS, args },
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
