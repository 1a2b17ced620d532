import { getTableColumns, getTableName } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type LibsqlDatabase from 'libsql';
import {
  decisions,
  demand,
  keyDays,
  keyOrigins,
  lastUses,
  limitCounts,
  rangeAddresses,
  refusedIdentifiers,
  rollups,
} from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { convertDatabaseError } from '@/lib/db/errors';
import type { CandidateRow } from '@/lib/statistics/candidate-counts';
import type { DemandRow } from '@/lib/statistics/demand';
import type { KeyOriginRow } from '@/lib/statistics/key-origins';
import { LIMIT_COUNTS, type LimitCountRow } from '@/lib/statistics/limit-tally';
import type { RangeAddressesRow } from '@/lib/statistics/range-addresses';
import { KEPT_FOR, KEPT_IDENTIFIERS, ROLLUP_STEPS, type RollupStep } from '@/lib/statistics/step';
import { DAY, HOUR, MINUTE, type Millis } from '@/lib/units';

export interface Write {
  sql: string;
  args: (string | number)[];
}

/**
 * Creates a function that inserts any number of rows with one statement. The rows are one JSON parameter. A write is
 * therefore five statements for an embedded file, and one round trip for a server. Rows hold the columns in the order
 * of the schema, except `id`, which the database assigns.
 * @param onConflict clause for rows that already exist
 */
function createInsert<Row extends readonly (string | number | null)[]>(table: SQLiteTable, onConflict = '') {
  const names = Object.values(getTableColumns(table)).flatMap(({ name }) => (name === 'id' ? [] : [name]));
  const values = names.map((_, index) => `value ->> ${index}`).join(', ');
  // `where true` makes SQLite's parser attach `on conflict` to the insert, not to a join.
  const from = `select ${values} from json_each(?) where true ${onConflict}`;
  const columns = names.map((name) => `"${name}"`).join(', ');
  const sql = `insert into ${getTableName(table)} (${columns}) ${from}`;
  return (rows: readonly Row[]): Write => ({ sql, args: [JSON.stringify(rows)] });
}

function sumOnConflict(...columns: string[]): string {
  return `on conflict do update set ${columns.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
}

type Start = readonly [step: RollupStep, start: Millis];
type Rollup = readonly [...Start, endpointClass: string, outcome: string, reason: string, count: number];
type KeyDayRow = readonly [apiKeyId: string, day: Millis, allowed: number, refused: number];
type LastUse = readonly [subject: string, at: Millis];
type Refused = readonly [...Start, type: string, identifier: string, endpointClass: string, count: number];

export const addRollups = createInsert<Rollup>(rollups, sumOnConflict('count'));
export const addIdentifiers = createInsert<Refused>(refusedIdentifiers, sumOnConflict('count'));
export const addDecisions = createInsert(decisions);
export const addKeyDays = createInsert<KeyDayRow>(keyDays, sumOnConflict('allowed', 'refused'));
export const addKeyOrigins = createInsert<KeyOriginRow>(keyOrigins, sumOnConflict('allowed', 'refused'));
export const addLastUses = createInsert<LastUse>(lastUses, 'on conflict do update set at = max(at, excluded.at)');
export const addRangeAddresses = createInsert<RangeAddressesRow>(
  rangeAddresses,
  'on conflict do update set lowest = min(lowest, excluded.lowest), highest = max(highest, excluded.highest)',
);

/** Most identifiers that are counted one by one for a candidate. */
const MOST_CANDIDATE_IDENTIFIERS = 10_000;

const ADD_CANDIDATES = `
  insert into candidate_counts (candidate, identifier, requests, would_refuse, would_allow, first_at, last_at)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 from json_each(?)
  where value ->> 1 = ''
    or exists (select 1 from candidate_counts where candidate = value ->> 0 and identifier = value ->> 1)
    or (select count(*) from candidate_counts where candidate = value ->> 0) <= ${MOST_CANDIDATE_IDENTIFIERS}
  on conflict do update set requests = requests + excluded.requests, would_refuse = would_refuse + excluded.would_refuse,
    would_allow = would_allow + excluded.would_allow, last_at = max(last_at, excluded.last_at)`;

export const addCandidates = (rows: readonly CandidateRow[]): Write => ({
  sql: ADD_CANDIDATES,
  args: [JSON.stringify(rows)],
});

export const addDemand = createInsert<DemandRow>(
  demand,
  `${sumOnConflict('p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'refused')}, peak = max(coalesce(peak, 0), excluded.peak)`,
);

export const addLimitCounts = createInsert<LimitCountRow>(limitCounts, sumOnConflict(...LIMIT_COUNTS));

const TRIM = `
  delete from refused_identifiers where step = ? and start = ? and (type, identifier, class) not in (
    select type, identifier, class from refused_identifiers where step = ? and start = ? order by count desc limit ?)`;

/** Deletes all but the most refused identifiers of a step. */
export function trimIdentifiers(step: RollupStep, start: Millis): Write {
  return { sql: TRIM, args: [step, start, step, start, KEPT_IDENTIFIERS[step]] };
}

const prepared = new WeakMap<object, Map<string, LibsqlDatabase.Statement>>();

/**
 * Writes in one transaction, without waiting for the disk. A power cut may lose the last second of statistics of an
 * embedded file, but a crash of the process loses nothing. Fails at once if another process holds the write lock.
 * @returns number of rows changed
 * @throws DatabaseUnavailable
 */
export async function writeBehind(database: Database, writes: readonly Write[]): Promise<number> {
  if (writes.length === 0) return 0;
  try {
    if (database.handle !== null) return writeEmbedded(database.handle, writes);
    const results = await database.client.batch([...writes], 'write');
    return results.reduce((sum, result) => sum + result.rowsAffected, 0);
  } catch (error) {
    throw convertDatabaseError(error);
  }
}

function writeEmbedded(handle: LibsqlDatabase.Database, writes: readonly Write[]): number {
  const statements = prepared.get(handle) ?? new Map<string, LibsqlDatabase.Statement>();
  prepared.set(handle, statements);
  try {
    handle.exec('begin immediate');
    let changed = 0;
    for (const { sql, args } of writes) {
      const statement = statements.get(sql) ?? handle.prepare(sql);
      statements.set(sql, statement);
      changed += statement.run(...args).changes;
    }
    handle.exec('commit');
    return changed;
  } catch (error) {
    // Calling a closed handle would crash the process.
    if (handle.open && handle.inTransaction) handle.exec('rollback');
    throw error;
  }
}

/** Retention of the decisions log, in milliseconds. */
export const DECISIONS_KEPT_FOR = 30 * DAY;
/** Most rows of the decisions log. The newest rows stay. */
export const MOST_DECISIONS = 100_000;
/** Retention of the counts of a candidate, in milliseconds after its last request. */
const CANDIDATES_KEPT_FOR = 30 * DAY;
/**
 * Retention of the addresses that used an override, in milliseconds: that of the decisions log, rounded up to whole
 * days.
 */
export const RANGE_ADDRESSES_KEPT_FOR = DECISIONS_KEPT_FOR + DAY;
const KEY_DAYS_KEPT_FOR = 730 * DAY;
/** Retention of the origins of keys, in milliseconds: the last day. */
const ORIGINS_KEPT_FOR = DAY + HOUR;

/** Retention of demand, in milliseconds: the hour of a dry-run and the hour before it. */
const DEMAND_KEPT_FOR = 130 * MINUTE;

const STEPS_AT_ONCE = 20;
const ROWS_AT_ONCE = 500;
/** Minutes of demand per transaction. Each minute holds up to 585 rows. */
const MINUTES_AT_ONCE = 2;

const STEP_TABLES = ['rollups', 'limit_counts', 'refused_identifiers'] as const;
const formatStepDeletion = (table: (typeof STEP_TABLES)[number]) =>
  `delete from ${table} where step = ? and start in (select distinct start from ${table} where step = ? and start < ? order by start limit ?)`;
const OLD_DECISIONS = 'delete from decisions where id in (select id from decisions where at < ? order by at limit ?)';
const SURPLUS_DECISIONS =
  'delete from decisions where id in (select id from decisions where id <= (select max(id) from decisions) - ? order by id limit ?)';
const OLD_DEMAND =
  'delete from demand where start in (select distinct start from demand where start < ? order by start limit ?)';
const OLD_ORIGINS =
  'delete from key_origins where (hour, api_key_id, kind, origin) in (select hour, api_key_id, kind, origin from key_origins where hour < ? order by hour limit ?)';
/** Deletes old counts of candidates. The row of the sum, whose age selects the others, is deleted last. */
const OLD_CANDIDATES = `
  delete from candidate_counts where (candidate, identifier) in (
    select candidate, identifier from candidate_counts
    where candidate in (select candidate from candidate_counts where identifier = '' and last_at < ?)
    order by candidate desc, identifier desc limit ?)`;
const OLD_RANGE_ADDRESSES =
  'delete from override_addresses where (override, day) in (select override, day from override_addresses where day < ? limit ?)';
const OLD_KEY_DAYS =
  'delete from key_days where (api_key_id, day) in (select api_key_id, day from key_days where day < ? limit ?)';

/**
 * Deletes expired statistics, a few hundred rows in each short transaction.
 * @returns number of rows deleted; 0 if nothing is left to delete
 * @throws DatabaseUnavailable
 */
export async function removeOutdated(database: Database, now: Millis): Promise<number> {
  const writes: Write[] = [
    ...ROLLUP_STEPS.flatMap((step) => {
      const args = [step, step, now - KEPT_FOR[step], STEPS_AT_ONCE];
      return STEP_TABLES.map((table) => ({ sql: formatStepDeletion(table), args }));
    }),
    { sql: OLD_DECISIONS, args: [now - DECISIONS_KEPT_FOR, ROWS_AT_ONCE] },
    { sql: SURPLUS_DECISIONS, args: [MOST_DECISIONS, ROWS_AT_ONCE] },
    { sql: OLD_DEMAND, args: [now - DEMAND_KEPT_FOR, MINUTES_AT_ONCE] },
    { sql: OLD_ORIGINS, args: [now - ORIGINS_KEPT_FOR, ROWS_AT_ONCE] },
    { sql: OLD_CANDIDATES, args: [now - CANDIDATES_KEPT_FOR, ROWS_AT_ONCE] },
    { sql: OLD_RANGE_ADDRESSES, args: [now - RANGE_ADDRESSES_KEPT_FOR, ROWS_AT_ONCE] },
    { sql: OLD_KEY_DAYS, args: [now - KEY_DAYS_KEPT_FOR, ROWS_AT_ONCE] },
  ];
  let removed = 0;
  for (const write of writes) removed += await writeBehind(database, [write]);
  return removed;
}
