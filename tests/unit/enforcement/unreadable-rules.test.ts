import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RulesCache } from '@/lib/enforcement/rules-cache';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';
import { partsOf, writeChange } from '../../fixtures/rule-history';

let file: MigratedDatabase;
let told: { msg: string; table: string; row: string }[] = [];
const logger = pino({ level: 'error' }, { write: (line: string) => void told.push(JSON.parse(line)) });

beforeEach(async () => {
  file = await migratedDatabase();
  told = [];
  await writeChange(file.database, 1);
  const { client } = file.database;
  // Each table has a row beside the one that is damaged.
  await client.batch([
    "insert into allowlist (id, type, identifier, reason, created_at, created_by, revision) values ('a2', 'user_id', 'v2', '', 0, '', 1)",
    "insert into overrides (id, type, identifier, class, \"limit\", window_seconds, reason, created_at, created_by, revision) values ('o2', 'user_id', 'u2', 'read', 7, 60, '', 0, '', 1)",
    "insert into api_keys (id, name, tier, client_type, prefix, secret_hash, created_at, created_by, revision) values ('k2', 'two', 'free', 'public', '', 'h2', 0, '', 1)",
    "insert into grants (id, api_key_id, requests, reason, until, created_at, created_by, revision) values ('g', 'k2', 5, '', 9e15, 0, '', 1), ('g2', 'k2', 6, '', 9e15, 0, '', 1)",
  ]);
});
afterEach(() => file[Symbol.dispose]());

const TEXT_GARBAGE = ["x'ff'", "x'00'", "cast(x'c3' as text)"];
const NUMBER_GARBAGE = ["'never'", "x'ff'", "cast(x'c3' as text)", '9e999', '1.5'];
const TABLES: readonly { table: string; id: string; columns: Readonly<Record<string, readonly string[]>> }[] = [
  {
    table: 'allowlist',
    id: 'a',
    columns: { expires_at: NUMBER_GARBAGE, type: [...TEXT_GARBAGE, "''", '5'], identifier: TEXT_GARBAGE },
  },
  {
    ...{ table: 'overrides', id: 'o' },
    columns: {
      ...{ expires_at: NUMBER_GARBAGE, limit: [...NUMBER_GARBAGE, '-1'], window_seconds: [...NUMBER_GARBAGE, '0'] },
      ...{ class: [...TEXT_GARBAGE, "'all'"] },
    },
  },
  {
    ...{ table: 'api_keys', id: 'k' },
    columns: {
      ...{ expires_at: NUMBER_GARBAGE, month_starts_on: [...NUMBER_GARBAGE, '0', '32'], month_shift: NUMBER_GARBAGE },
      ...{ tier: [...TEXT_GARBAGE, "'gold'"], client_type: [...TEXT_GARBAGE, '7'], secret_hash: TEXT_GARBAGE },
      ...{ previous_secret_until: NUMBER_GARBAGE },
    },
  },
  { table: 'grants', id: 'g', columns: { requests: NUMBER_GARBAGE, until: NUMBER_GARBAGE } },
];
const PLACES = TABLES.flatMap(({ table, id, columns }) =>
  Object.entries(columns).flatMap(([column, garbage]) => garbage.map((value) => ({ table, id, column, value }))),
);

describe.each(['an embedded file at the start', 'what has changed since'])('%s', (when) => {
  it.each(PLACES)('$table, $column = $value opens nothing and stops nothing', async ({ table, id, column, value }) => {
    const { database } = file;
    const damage = () =>
      database.client.execute(`update ${table} set "${column}" = ${value}, revision = 1 where id = '${id}'`);
    const rules = new RulesCache(database, logger, undefined);
    // A text that is no UTF-8 would end the process where cells are read one by one, as the driver has it.
    if (when === 'what has changed since' && value.startsWith('cast')) return;
    if (when === 'what has changed since') {
      await rules.refresh();
      await writeChange(database, 2);
      await database.client.execute(`update ${table} set "${column}" = ${value}, revision = 2 where id = '${id}'`);
    } else await damage();
    const read = await rules.refresh();
    const isChanged = when === 'what has changed since';
    const isText = ['identifier', 'secret_hash'].includes(column) && value.startsWith('cast');

    // All others are in force.
    expect(read.revision).toBe(isChanged ? 2 : 1);
    expect(read.findAllowedUser('v2', 0)).toBeDefined();
    expect(read.findUserOverride('u2', 'read', 0)).toMatchObject({ limit: 7 });
    expect(read.findKeyById('k2', 0)).toBeDefined();

    // The damaged one is as it was before, or not there.
    const before = isChanged ? 1 : undefined;
    const [, , , override, entry, key] = partsOf(read);
    if (table === 'allowlist') expect(entry).toBe(before ?? 0);
    if (table === 'overrides') expect(override).toBe(before ?? 0);
    if (table === 'api_keys' && !isText) expect(key).toBe(before ?? 0);
    if (!isText) expect(told).toMatchObject([{ msg: 'a stored row cannot be read', table, row: id }]);
    await rules.refresh();
    expect(told.length).toBeLessThanOrEqual(1);
  });
});

it.each(['policies', 'route-rules', 'incident', 'candidates', 'candidate-rules', 'counter-store'])(
  'no process starts without the document %s, and says which it is',
  async (name) => {
    for (const value of ['{', '', '"x', '{"classes": 5, "mode": 5}', '5']) {
      if (name === 'route-rules' && value.startsWith('{"')) continue;
      await file.database.client.execute({
        sql: 'insert or replace into settings (name, value, updated_at, revision) values (?, ?, 0, 1)',
        args: [name, value],
      });
      const rules = new RulesCache(file.database, logger, undefined);
      if (name === 'route-rules' && value === '5') continue;
      await expect(rules.refresh(), value).rejects.toThrow(`The setting "${name}" in the database cannot be read.`);
    }
  },
);
