import { setImmediate as turn } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allowlist, settings } from '@/drizzle/schema';
import type { Database } from '@/lib/db/database';
import { POLICIES_SETTING, RulesCache } from '@/lib/enforcement/rules-cache';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';
import { partsOf, writeChange } from '../../fixtures/rule-history';

let file: MigratedDatabase;
let warnings: string[] = [];

const logger = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line).msg) });
const all = (revision: number) => Array.from({ length: 6 }, () => revision);

beforeEach(async () => {
  file = await migratedDatabase();
  warnings = [];
});
afterEach(() => file[Symbol.dispose]());

/** Runs something after every call to the database that has been answered, and before its caller goes on. */
function afterEachCall(database: Database, work: () => Promise<void>): void {
  const { client } = database;
  const execute = client.execute.bind(client);
  const batch = client.batch.bind(client);
  client.execute = async (...args: unknown[]) => {
    const result = await Reflect.apply(execute, client, args);
    await work();
    return result;
  };
  client.batch = async (...args) => {
    const result = await batch(...args);
    await work();
    return result;
  };
}

describe('rules that change while they are read', () => {
  it.each([false, true])('are never seen half new (read before: %s)', async (before) => {
    const rules = new RulesCache(file.database, logger, undefined);
    const writer = file.reopen();
    let newest = 0;
    const write = async () => {
      newest += 1;
      await writeChange(writer, newest);
      // Decisions go on meanwhile, and plan on what is there.
      for (let i = 0; i < 3; i += 1) {
        await turn();
        expect(new Set(partsOf(rules.current).slice(rules.current.revision === 0 ? 2 : 0)).size).toBe(1);
      }
    };
    await write();
    if (before) await rules.refresh();
    afterEachCall(file.database, write);
    for (let i = 0; i < 5; i += 1) {
      const read = await rules.refresh();
      expect(partsOf(read)).toEqual(all(read.revision));
      expect(partsOf(await rules.readFresh())).toEqual(all(rules.current.revision));
    }
    expect(rules.current.revision).toBeGreaterThan(5);
  });

  it('stay as they were, all of them, when a reading fails, and are read whole when it works again', async () => {
    const rules = new RulesCache(file.database, logger, undefined);
    await writeChange(file.database, 1);
    await rules.refresh();
    await writeChange(file.database, 2);
    const { client } = file.database;
    const batch = client.batch.bind(client);
    client.batch = async () => Promise.reject(new Error('lost'));
    await expect(rules.refresh()).rejects.toThrow('lost');
    expect(partsOf(rules.current)).toEqual(all(1));
    client.batch = batch;
    expect(partsOf(await rules.refresh())).toEqual(all(2));
  });

  it.each(['{"classes":', '{"classes":{"read":{"ip":{"limit":-1}}}}', '7'])(
    'stay as they were, all of them, when a document is broken: %s',
    async (value) => {
      const rules = new RulesCache(file.database, logger, undefined);
      await writeChange(file.database, 1);
      await rules.refresh();
      await writeChange(file.database, 2);
      const { drizzle } = file.database;
      const [whole] = await drizzle.select().from(settings).where(eq(settings.name, POLICIES_SETTING));
      await drizzle.update(settings).set({ value }).where(eq(settings.name, POLICIES_SETTING));
      await expect(rules.refresh()).rejects.toThrow('The setting "policies" in the database cannot be read.');
      expect(partsOf(rules.current)).toEqual(all(1));
      await drizzle.update(settings).set({ value: whole!.value }).where(eq(settings.name, POLICIES_SETTING));
      expect(partsOf(await rules.refresh())).toEqual(all(2));
    },
  );

  it('are read once for all who ask while they are read, and again for those who saw them change', async () => {
    const rules = new RulesCache(file.database, logger, undefined);
    await writeChange(file.database, 1);
    let batches = 0;
    afterEachCall(file.database, async () => {
      batches += 1;
    });
    const read = await Promise.all([rules.refresh(), rules.refresh(), rules.refresh()]);
    expect(read.map((rules) => rules.revision)).toEqual([1, 1, 1]);
    expect(batches).toBe(1);
  });

  it('are not read while nothing has changed', async () => {
    const rules = new RulesCache(file.database, logger, undefined);
    await writeChange(file.database, 1);
    expect((await rules.readFresh()).revision).toBe(1);
    let calls = 0;
    afterEachCall(file.database, async () => {
      calls += 1;
    });
    await rules.readFresh();
    expect(calls).toBe(1);
  });

  it('lose what was removed, also when the same identifier was added again', async () => {
    const rules = new RulesCache(file.database, logger, undefined);
    await writeChange(file.database, 1);
    await rules.refresh();
    const { drizzle } = file.database;
    await writeChange(file.database, 2);
    await drizzle.update(allowlist).set({ removedAt: 1 }).where(eq(allowlist.id, 'a'));
    expect((await rules.refresh()).findAllowedUser('v', 0)).toBeUndefined();
    await writeChange(file.database, 3);
    const entry = { type: 'ip' as const, reason: '', createdAt: 0, createdBy: '', revision: 3 };
    await drizzle.insert(allowlist).values([
      { ...entry, id: 'b', identifier: '10.0.0.0/8' },
      { ...entry, id: 'c', identifier: '10.0.0.0/8', removedAt: 1 },
      { ...entry, id: 'd', identifier: 'no range' },
    ]);
    expect((await rules.refresh()).allowedRanges.size).toBe(1);
  });
});

describe('a database that has gone back', () => {
  /** A database behind which the data is swapped, as when a server is restored beneath a process. */
  function swapping(first: Database): { database: Database; swap: (next: Database) => void } {
    let present = first;
    const database: Database = {
      kind: first.kind,
      handle: null,
      get drizzle() {
        return present.drizzle;
      },
      get client() {
        return present.client;
      },
      get early() {
        return present.early;
      },
      batch: (statements) => present.batch(statements),
      commit: (statements) => present.commit(statements),
      runAndRollBack: (writes, statements) => present.runAndRollBack(writes, statements),
      trial: null,
      reading: first.reading,
      waitUntilDurable: () => present.waitUntilDurable(),
      inTurn: (work) => present.inTurn(work),
      isInPlace: () => present.isInPlace(),
      close: () => undefined,
    };
    return {
      database,
      swap: (next) => {
        present = next;
      },
    };
  }

  async function written(...marks: string[]): Promise<Database> {
    const other = await migratedDatabase();
    disposed.push(other);
    for (const [i, mark] of marks.entries()) await writeChange(other.database, i + 1, mark);
    return other.database;
  }
  const disposed: MigratedDatabase[] = [];
  afterEach(() => {
    for (const file of disposed.splice(0)) file[Symbol.dispose]();
  });

  it.each([
    ['an older backup', ['a', 'b'], 2],
    ['a new one', [], 0],
    ['an older backup that was changed since, to the same number', ['a', 'b', 'x'], 3],
    ['an older backup that was changed since, beyond it', ['a', 'b', 'x', 'y'], 4],
    ['another installation', ['p', 'q', 'r'], 3],
  ])('to %s: everything is read again, nothing of the lost rules stays', async (_, marks, revision) => {
    const { database, swap } = swapping(await written('a', 'b', 'c'));
    const rules = new RulesCache(database, logger, { classes: { read: { ip: { limit: 77 } } } });
    expect(partsOf(await rules.refresh())).toEqual(all(3));
    await database.drizzle.insert(allowlist).values({
      id: 'lost',
      type: 'user_id',
      identifier: 'lost',
      reason: '',
      createdAt: 0,
      createdBy: '',
      revision: 4,
    });
    await writeChange(database, 4, 'd');
    expect((await rules.readFresh()).findAllowedUser('lost', 0)).toBeDefined();
    swap(await written(...marks));
    const read = await rules.readFresh();
    expect(partsOf(read)).toEqual(revision === 0 ? [0, 77, 0, 0, 0, 0] : all(revision));
    expect(read.findAllowedUser('lost', 0)).toBeUndefined();
    expect(rules.current).toBe(read);
    expect(warnings).toEqual(['the database was restored to an earlier state or replaced; all rules were reloaded']);
    // And it goes on from there.
    await writeChange(database, revision + 1, 'z');
    expect(partsOf(await rules.refresh())).toEqual(all(revision + 1));
    expect(warnings).toHaveLength(1);
  });

  it('is not believed of a replica that lags', async () => {
    const primary = await written('a', 'b', 'c');
    const replica = await written('a', 'b');
    const rules = new RulesCache(primary, logger, undefined);
    await rules.refresh();
    const { client } = primary;
    const batch = client.batch.bind(client);
    // What only reads may be answered by the replica.
    client.batch = (statements, mode) =>
      mode === 'write' ? batch(statements, mode) : replica.client.batch(statements);
    expect(partsOf(await rules.refresh())).toEqual(all(3));
    expect(warnings).toEqual([]);
  });
});

it('publishes a revision later that the counter store could not be told', async () => {
  const rules = new RulesCache(file.database, logger, undefined);
  const told: number[] = [];
  let fails = true;
  const counters = {
    publish: async (revision: number) => {
      if (fails) throw new Error('down');
      told.push(revision);
    },
  } as unknown as Parameters<RulesCache['republish']>[0];
  await rules.republish(counters);
  rules.publishLater(4, new Error('down'));
  rules.publishLater(3, new Error('down'));
  expect(warnings).toHaveLength(2);
  await expect(rules.republish(counters)).rejects.toThrow('down');
  fails = false;
  await rules.republish(counters);
  await rules.republish(counters);
  expect(told).toEqual([4]);
});
