import type { DemandRow } from '@/lib/statistics/demand';
import { KEPT_IDENTIFIERS, type RollupStep } from '@/lib/statistics/step';
import type { TallyCell } from '@/lib/statistics/tally';
import type { RefusedIdentifier } from '@/lib/statistics/top-identifiers';
import type { Write } from '@/lib/statistics/write-behind';

/**
 * Makes inserts of any number of rows by one statement: they come as one JSON parameter. So a write is five statements
 * for an embedded file and one round trip for a server.
 * @param columns in the order of the values of a row
 * @param conflict what to add up where a row exists
 */
function inserting<Row extends readonly (string | number | null)[]>(
  table: string,
  columns: readonly string[],
  conflict = '',
): (rows: readonly Row[]) => Write {
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  // `where true` tells SQLite's parser that `on conflict` belongs to the insert, not to a join.
  const sql = `insert into ${table} (${columns.join(', ')}) select ${values} from json_each(?) where true ${conflict}`;
  return (rows) => ({ sql, args: [JSON.stringify(rows)] });
}

function addingUp(...columns: string[]): string {
  return `on conflict do update set ${columns.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;
}

const PARTS = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'];

const insertRollups = inserting('rollups', ['step', 'start', 'class', 'outcome', 'reason', 'count'], addingUp('count'));

const insertIdentifiers = inserting(
  'refused_identifiers',
  ['step', 'start', 'type', 'identifier', 'class', 'count'],
  addingUp('count'),
);

const TRIM = `
  delete from refused_identifiers where step = ? and start = ? and (type, identifier, class) not in (
    select type, identifier, class from refused_identifiers where step = ? and start = ? order by count desc limit ?)`;

export function addRollups(rows: readonly (readonly [step: RollupStep, start: number, cell: TallyCell])[]): Write {
  return insertRollups(
    rows.map(([step, start, cell]) => [step, start, cell.class, cell.outcome, cell.reason, cell.count]),
  );
}

export function addIdentifiers(
  rows: readonly (readonly [step: RollupStep, start: number, refused: RefusedIdentifier])[],
): Write {
  return insertIdentifiers(
    rows.map(([step, start, { type, identifier, class: name, hits }]) => [step, start, type, identifier, name, hits]),
  );
}

/** Deletes all but the most refused identifiers of a step. */
export function trimIdentifiers(step: RollupStep, start: number): Write {
  return { sql: TRIM, args: [step, start, step, start, KEPT_IDENTIFIERS[step]] };
}

export const addDecisions = inserting('decisions', [
  'at',
  'outcome',
  'class',
  'reason',
  'subject_type',
  'identifier',
  'method',
  'path',
  'ip',
  'user_id',
  'api_key_id',
  'request_id',
]);

export const addKeyDays = inserting<readonly [apiKeyId: string, day: number, allowed: number, refused: number]>(
  'key_days',
  ['api_key_id', 'day', 'allowed', 'refused'],
  addingUp('allowed', 'refused'),
);

export const addLastUses = inserting<readonly [subject: string, at: number]>(
  'last_uses',
  ['subject', 'at'],
  'on conflict do update set at = max(at, excluded.at)',
);

export const addDemand = inserting<DemandRow>(
  'demand',
  ['start', 'subject', 'class', 'identifier', ...PARTS],
  addingUp(...PARTS),
);
