import type { DemandRow } from '@/lib/statistics/demand';
import { KEPT_IDENTIFIERS, type RollupStep } from '@/lib/statistics/step';
import type { TallyCell } from '@/lib/statistics/tally';
import type { RefusedIdentifier } from '@/lib/statistics/top-identifiers';
import type { Write } from '@/lib/statistics/write-behind';

/*
 * Every table of the statistics is added to by one statement, whatever the number of rows: they come as one JSON
 * parameter. So a write is five statements for an embedded file and one round trip for a server.
 * (`where true` tells SQLite's parser that `on conflict` belongs to the insert, not to a join.)
 */

const ROLLUPS = `
  insert into rollups (step, start, class, outcome, reason, count)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?) where true
  on conflict do update set count = count + excluded.count`;

const IDENTIFIERS = `
  insert into refused_identifiers (step, start, type, identifier, class, count)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?) where true
  on conflict do update set count = count + excluded.count`;

const TRIM = `
  delete from refused_identifiers where step = ? and start = ? and (type, identifier, class) not in (
    select type, identifier, class from refused_identifiers where step = ? and start = ? order by count desc limit ?)`;

const DECISIONS = `
  insert into decisions (at, outcome, class, reason, subject_type, identifier, method, path, ip, user_id, api_key_id, request_id)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
    value ->> 8, value ->> 9, value ->> 10, value ->> 11
  from json_each(?)`;

const KEY_DAYS = `
  insert into key_days (api_key_id, day, allowed, refused)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?) where true
  on conflict do update set allowed = allowed + excluded.allowed, refused = refused + excluded.refused`;

const LAST_USES = `
  insert into last_uses (subject, at) select value ->> 0, value ->> 1 from json_each(?) where true
  on conflict do update set at = max(at, excluded.at)`;

const DEMAND = `
  insert into demand (start, subject, class, identifier, p0, p1, p2, p3, p4, p5)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
    value ->> 8, value ->> 9 from json_each(?) where true
  on conflict do update set p0 = p0 + excluded.p0, p1 = p1 + excluded.p1, p2 = p2 + excluded.p2, p3 = p3 + excluded.p3,
    p4 = p4 + excluded.p4, p5 = p5 + excluded.p5`;

export function addRollups(rows: readonly (readonly [step: RollupStep, start: number, cell: TallyCell])[]): Write {
  const values = rows.map(([step, start, cell]) => [step, start, cell.class, cell.outcome, cell.reason, cell.count]);
  return { sql: ROLLUPS, args: [JSON.stringify(values)] };
}

export function addIdentifiers(
  rows: readonly (readonly [step: RollupStep, start: number, one: RefusedIdentifier])[],
): Write {
  const values = rows.map(([step, start, one]) => [step, start, one.type, one.identifier, one.class, one.hits]);
  return { sql: IDENTIFIERS, args: [JSON.stringify(values)] };
}

/** Leaves the identifiers of a step that were refused most. */
export function trimIdentifiers(step: RollupStep, start: number): Write {
  return { sql: TRIM, args: [step, start, step, start, KEPT_IDENTIFIERS[step]] };
}

/** @param rows values of the columns after `id`, in their order */
export function addDecisions(rows: readonly (readonly (string | number | null)[])[]): Write {
  return { sql: DECISIONS, args: [JSON.stringify(rows)] };
}

export function addKeyDays(
  rows: readonly (readonly [apiKeyId: string, day: number, allowed: number, refused: number])[],
): Write {
  return { sql: KEY_DAYS, args: [JSON.stringify(rows)] };
}

export function addLastUses(rows: readonly (readonly [subject: string, at: number])[]): Write {
  return { sql: LAST_USES, args: [JSON.stringify(rows)] };
}

export function addDemand(rows: readonly DemandRow[]): Write {
  return { sql: DEMAND, args: [JSON.stringify(rows)] };
}
