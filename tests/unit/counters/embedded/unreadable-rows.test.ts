import { describe, expect, it } from 'vitest';
import { openFileSnapshot } from '@/lib/counters/transfer/file-snapshot';
import { openDatabase } from '@/lib/db/open-database';
import type { Attempt, Meter, Window } from '@/lib/limiter/meter';
import { change, databasePath, openStore, settleInto } from '../open-counters';

const SLIDING: Window = { kind: 'sliding', seconds: 60 };
const MONTH: Window = { kind: 'month' };
const LIMIT = 3;
const [WINDOW_KEY, OTHER_WINDOW, MONTH_KEY, OTHER_MONTH] = ['ip|a|read|60', 'ip|b|read|60', 'quota|a', 'quota|b'];
const meter = (key: string): Meter => ({
  subject: key.startsWith('ip') ? 'ip' : 'quota',
  key,
  limit: LIMIT,
  window: key.startsWith('ip') ? SLIDING : MONTH,
});
const attempt = (key: string): Attempt => ({ meters: [meter(key)], cost: 1 });

/** What a flipped bit, a program or a hand may leave in a column, as SQL. */
const GARBAGE = [
  ...[
    "''",
    "'{'",
    "'null'",
    "'5'",
    '\'"x"\'',
    "'[]'",
    "'{}'",
    "'[5]'",
    "'[[]]'",
    "'[[[]]]'",
    '\'{"k":5}\'',
    '\'{"k":null}\'',
  ],
  ...['\'{"k":[]}\'', '\'{"k":[60]}\'', '\'{"k":["60",1,2]}\'', '\'{"k":[60,1,"x"]}\'', '\'{"k":[60,1,2,{}]}\''],
  ...["'[[1,2,3,4]]'", '\'[["k",2026]]\'', '\'[["k","x",1,0]]\'', '\'[["k",24322,-1,0]]\'', '\'[["k",1e999,1,0]]\''],
  ...['\'{"prefix":5}\'', '\'{"keys":5}\'', '\'{"keys":[5]}\'', '\'{"k":[60,99999999999999999999,1]}\'', "'[1e999,1]'"],
  ...["x''", "x'ff'", "x'7b7d'", "cast(x'7bff7d' as text)", "cast(x'5b312c32c3' as text)", "cast(x'7b007d' as text)"],
  ...['9223372036854775807', '-1', '1e300', '9e999', '1.5', "printf('%.*c', 100000, '[')"],
];

const COLUMNS = [
  { table: 'counter_journal', column: 'windows' },
  { table: 'counter_journal', column: 'months' },
  { table: 'counter_journal', column: 'forgotten' },
  { table: 'counter_windows', column: 'slots' },
  { table: 'counter_windows', column: 'expires' },
  { table: 'counter_months', column: 'hits' },
  { table: 'counter_months', column: 'floor' },
  { table: 'cleared_counters', column: 'slots' },
] as const;

/** A file in which each counter has counted two: those of `b` in rows that stay as they are. */
async function prepare(table: string) {
  const path = databasePath();
  const { store, database, clock } = openStore(path);
  const count = (key: string) => store.commit(0, [attempt(key)]);
  for (const key of [OTHER_WINDOW, OTHER_MONTH]) for (let i = 0; i < 2; i += 1) await count(key);
  if (table !== 'counter_journal') settleInto(database);
  // Two groups: the newer row is damaged, the older one still holds.
  for (const key of [WINDOW_KEY, MONTH_KEY]) await count(key);
  await store.commit(0, [attempt(WINDOW_KEY), attempt(MONTH_KEY)]);
  const position = Number((database.prepare('select max(position) from counter_journal').raw().get() as [number])[0]);
  if (table !== 'counter_journal') settleInto(database);
  return { path, database, clock, position };
}

describe.each(COLUMNS)('garbage in $table, $column', ({ table, column }) => {
  // A number in quotes is a number in a column of numbers.
  const garbage = GARBAGE.filter((text) => text !== "'5'" || !['hits', 'floor'].includes(column));
  it.each(garbage)('%s stops nothing, and what all other rows say still counts', async (garbage) => {
    const { path, database, clock, position } = await prepare(table);
    if (table === 'cleared_counters') {
      const kept = clock.now + 1e6;
      database.exec(`insert into cleared_counters values (1, '${WINDOW_KEY}', 0, 0, 0, '[0,1]', ${kept}, ${kept})`);
      database.exec(`insert into cleared_counters values (1, '${OTHER_MONTH}', 0, 1, 0, null, 0, ${kept})`);
    }
    const where = table === 'counter_journal' ? `position = ${position}` : `key in ('${WINDOW_KEY}', '${MONTH_KEY}')`;
    database.exec(`update ${table} set ${column} = ${garbage} where ${where}`);

    const told: string[] = [];
    const onUnreadable = (from: string, row: string | number) => void told.push(`${from} ${row}`);
    const { store, database: own } = openStore(path, { onUnreadable, clock: () => clock.now });
    let revision = 0;
    const admitted = async (key: string) => {
      let count = 0;
      for (let i = 0; i <= LIMIT; i += 1) {
        const commit = await store.commit(revision, [attempt(key)]);
        if (commit.kind === 'stale') throw new Error('The rules are others.');
        if (commit.verdicts[0]?.admitted) count += 1;
      }
      return count;
    };
    for (const key of [OTHER_WINDOW, OTHER_MONTH]) expect(await admitted(key), key).toBe(1);
    for (const key of [WINDOW_KEY, MONTH_KEY]) {
      // What the garbage hides may be free again, and no more than that.
      expect(await admitted(key), key).toBeLessThanOrEqual(LIMIT);
      expect((await store.read([meter(key)]))[0]?.used, key).toBe(LIMIT);
    }
    expect(await store.listKeys('', 10)).toEqual([WINDOW_KEY, OTHER_WINDOW, MONTH_KEY, OTHER_MONTH]);
    await store.fold();
    await store.sweep(100);
    for (const key of [WINDOW_KEY, OTHER_WINDOW, MONTH_KEY, OTHER_MONTH]) expect(await admitted(key), key).toBe(0);

    // What administrators do to counters goes on as well.
    database.exec(`update ${table} set ${column} = ${garbage} where ${where}`);
    revision = change(database, [store.restore(1)]);
    settleInto(database);
    revision = change(database, [store.clear({ keys: [WINDOW_KEY] }, { seq: 2, until: clock.now + 1e6 })]);
    expect(await admitted(WINDOW_KEY)).toBe(LIMIT);
    expect(await admitted(OTHER_WINDOW)).toBe(0);
    own.close();

    const copy = openDatabase({
      url: `file:${path}`,
      monotonic: () => 0,
      wait: async () => undefined,
      random: () => 0,
    });
    const moved: string[] = [];
    for await (const { windows, months } of openFileSnapshot(copy.client).read())
      moved.push(...windows.map(({ key }) => key), ...months.map(({ key }) => key));
    copy.close();
    expect(moved).toEqual(expect.arrayContaining([OTHER_WINDOW, OTHER_MONTH]));
  });
});

it.each([
  ['counter_journal', 'windows', "'{'", 'counter_journal 6'],
  ['counter_windows', 'slots', "'{'", `counter_windows ${WINDOW_KEY}`],
  ['counter_months', 'hits', "'x'", `counter_months ${MONTH_KEY} 24322`],
])('it is told where a row of %s is damaged', async (table, column, garbage, place) => {
  const { path, database, clock } = await prepare(table);
  const where = table === 'counter_journal' ? 'position = 6' : `key in ('${WINDOW_KEY}', '${MONTH_KEY}')`;
  database.exec(`update ${table} set ${column} = ${garbage} where ${where}`);
  const told: string[] = [];
  const { store } = openStore(path, {
    onUnreadable: (from, row) => void told.push(`${from} ${row}`),
    clock: () => clock.now,
  });
  await store.commit(0, [attempt(WINDOW_KEY), attempt(MONTH_KEY)]);
  expect(told).toContain(place);
});
