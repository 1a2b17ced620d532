import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RedisCounters } from '@/lib/counters/redis/store';
import type { Database } from '@/lib/db/database';
import type { Attempt } from '@/lib/limiter/meter';
import type { Services } from '@/lib/operation/services';
import { addressLimit, changeAddressLimit, decideRead } from '@/tests/fixtures/address-limit';
import { migratedDatabase } from '../../fixtures/migrated-database';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { servicesOn } from '../../fixtures/services';
import { until } from '../../fixtures/until';

const EPOCH = 'sluice:{c}epoch';
const ASK: Attempt = {
  meters: [{ subject: 'ip', key: 'ip|a|read|3600', limit: 1_000, window: { kind: 'sliding', seconds: 3600 } }],
  cost: 1,
};

const skip = redisIsMissing('integration/redis (revision)');
let server: RedisServer;

beforeAll(async () => {
  if (!skip) server = await RedisServer.start();
});
afterAll(() => server?.stop());
beforeEach(() => server?.admin.flushall());

/** An instance on a database whose newest revision is a number. */
async function instance(newestRevision: number, installation = 'ours') {
  const lines: string[] = [];
  /** `meanwhile` happens after the database has read its answer, and before it arrives. */
  const database = { newestRevision, asked: 0, failing: false, meanwhile: null as (() => Promise<void>) | null };
  const time = { now: 1_000_000 };
  const store = await RedisCounters.open({
    url: server.url,
    logger: pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line).msg) }),
    clock: () => time.now,
    newestRevision: async () => {
      database.asked += 1;
      if (database.failing) throw new Error('down');
      const answer = database.newestRevision;
      await database.meanwhile?.();
      return answer;
    },
    installation,
    commandTimeout: 20_000,
  });
  onTestFinished(() => store.close());
  /** Decides as the engine does: reads the rules where it is told that they are others. */
  let rules = newestRevision;
  const decide = async (): Promise<number> => {
    for (let i = 0; i < 5; i += 1) {
      const commit = await store.commit(rules, [ASK]);
      if (commit.kind === 'decided') return rules;
      rules = database.newestRevision;
    }
    throw new Error('Nothing was decided.');
  };
  return { store, database, lines, time, decide, remember: (revision: number) => (rules = revision) };
}

const revision = () => server.admin.get(EPOCH);

describe.skipIf(skip)('what Redis and the database know of the rules', () => {
  it.each([
    ['missing', null, []],
    ['behind', '3 1 ours', [/^Redis was behind the database/]],
    ['the same', '5 1 ours', []],
    ['ahead', '9 1 ours', [/^Redis was ahead of the database/]],
    ['not known', '-1 4 ours', []],
    ['of another database, behind', '3 1 theirs', [/^Redis held the revision of another Sluice installation/]],
    [
      'of another database, with the same number',
      '5 1 theirs',
      [/^Redis held the revision of another Sluice installation/],
    ],
    ['of another database, ahead', '9 1 theirs', [/^Redis held the revision of another Sluice installation/]],
    ['of an earlier version, behind', '3', []],
    ['of an earlier version, ahead', '9', []],
    ['damaged', 'nonsense', []],
  ])('%s: the database is right, and it goes on', async (_, held, said) => {
    if (held !== null) await server.admin.set(EPOCH, held);
    const started = await instance(5);
    expect(await started.decide()).toBe(5);
    expect(await revision()).toMatch(/^5 \d+ ours$/);
    expect(started.lines).toHaveLength(said.length);
    for (const [i, pattern] of said.entries()) expect(started.lines[i]).toMatch(pattern);
    // And stays so, without asking the database any more.
    const { asked } = started.database;
    expect(await started.decide()).toBe(5);
    expect(started.database.asked).toBe(asked);
    expect(await server.admin.pttl(EPOCH)).toBeGreaterThan(0);
    const other = await instance(5);
    expect(await other.decide()).toBe(5);
    expect(other.lines).toEqual([]);
  });

  it.each([
    ['missing', null, [/^Redis holds no revision/]],
    ['behind', '3 1 ours', [/^Redis was behind the database/]],
    ['ahead', '9 1 ours', [/^Redis was ahead of the database/]],
    ['of another database', '5 1 theirs', [/^Redis held the revision of another Sluice installation/]],
  ])('%s, while it runs: the same', async (_, held, said) => {
    const started = await instance(5);
    await started.decide();
    if (held === null) await server.admin.del(EPOCH);
    else await server.admin.set(EPOCH, held);
    expect(await started.decide()).toBe(5);
    expect(await revision()).toMatch(/^5 \d+ ours$/);
    expect(started.lines).toHaveLength(1);
    expect(started.lines[0]).toMatch(said[0]!);
  });

  it.each([null, '3 1 ours', '5 1 ours', '9 1 ours', '5 1 theirs', 'nonsense'])(
    '%j at the start: nothing is written before the first decision, which is right',
    async (held) => {
      if (held !== null) await server.admin.set(EPOCH, held);
      const started = await instance(5);
      started.store.prepare(5);
      expect(await revision()).toBe(held);
      expect(await started.decide()).toBe(5);
      expect(started.database.asked).toBe(held === '5 1 ours' ? 0 : 2);
      expect(await revision()).toMatch(/^5 \d+ ours$/);
    },
  );

  it('a change between the start and the first decision counts', async () => {
    await server.admin.set(EPOCH, '5 1 ours');
    const started = await instance(5);
    started.store.prepare(5);
    started.database.newestRevision = 6;
    await server.admin.set(EPOCH, '6 2 ours');
    expect(await started.store.commit(5, [ASK])).toEqual({ kind: 'stale', revision: 6 });
    expect(await started.decide()).toBe(6);
  });

  it('a connection that was lost during the start does not count', async () => {
    await server.admin.set(EPOCH, '5 1 ours');
    const started = await instance(5);
    await server.admin.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    const isBack = () =>
      started.store.isKnown().then(
        () => true,
        () => false,
      );
    await until(isBack);
    started.store.prepare(5);
    started.database.newestRevision = 6;
    expect(await started.store.commit(5, [ASK])).toEqual({ kind: 'stale', revision: 6 });
  });

  it('a database that went back while processes run takes all of them with it', async () => {
    const [first, second] = [await instance(8), await instance(8)];
    await first.decide();
    await second.decide();
    for (const started of [first, second]) started.database.newestRevision = 5;
    // One of them has looked at the database; the other one has not, and learns it by its next decision.
    first.remember(5);
    expect(await first.decide()).toBe(5);
    expect(await second.decide()).toBe(5);
    expect(await first.decide()).toBe(5);
    expect(await revision()).toMatch(/^5 /);
  });

  it('a change after the database went back counts on every process, though Redis knows higher numbers', async () => {
    const [first, second] = [await instance(8), await instance(8)];
    await first.decide();
    await second.decide();
    for (const started of [first, second]) started.database.newestRevision = 6;
    await first.store.publish(6);
    expect(await second.decide()).toBe(6);
    expect(await first.decide()).toBe(6);
  });

  it.each([false, true])(
    'is not lowered by who asked the database before the last change (settled in between: %s)',
    async (settled) => {
      await server.admin.set(EPOCH, '6 1 ours');
      const [late, publisher] = [await instance(5), await instance(6)];
      // While the answer of the database, 5, is on its way, somebody changes the rules: revision 6, as Redis held before.
      late.database.meanwhile = async () => {
        late.database.meanwhile = null;
        late.database.newestRevision = 6;
        await publisher.store.publish(6);
        if (settled) await publisher.decide();
      };
      expect(await late.store.commit(5, [ASK])).toEqual({ kind: 'stale', revision: 6 });
      expect(await late.decide()).toBe(6);
    },
  );

  it('cannot be settled while the database is down', async () => {
    const started = await instance(5);
    await started.decide();
    started.database.failing = true;
    expect(await started.decide()).toBe(5);
    await server.admin.set(EPOCH, '9 1 ours');
    await expect(started.decide()).rejects.toThrow('The newest revision of the rules cannot be read.');
    started.database.failing = false;
    expect(await started.decide()).toBe(5);
  });

  it('is published upwards, and is unknown to Redis where it cannot be sure', async () => {
    const started = await instance(5);
    await started.store.publish(5);
    expect(await revision()).toBe('5 1 ours');
    await started.store.publish(6);
    expect(await revision()).toBe('6 2 ours');
    await started.store.publish(6);
    expect(await revision()).toBe('-1 3 ours');
    await started.store.publish(6);
    expect(await revision()).toBe('6 4 ours');
    await started.store.publish(2);
    expect(await revision()).toBe('-1 5 ours');
    await server.admin.set(EPOCH, '3 7 theirs');
    await started.store.publish(6);
    expect(await revision()).toBe('-1 8 ours');
    await server.admin.set(EPOCH, '3');
    await started.store.publish(6);
    expect(await revision()).toBe('-1 1 ours');
  });

  it('two installations at once both go on, by their own rules, and say that they disturb each other', async () => {
    const [ours, theirs] = [await instance(5, 'ours'), await instance(7, 'theirs')];
    for (let i = 0; i < 5; i += 1) {
      expect(await ours.decide()).toBe(5);
      expect(await theirs.decide()).toBe(7);
    }
    for (const { lines } of [ours, theirs]) {
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/^Redis held the revision of another Sluice installation/);
      expect(lines[1]).toMatch(/^Two Sluice installations share one Redis/);
    }
    ours.time.now += 61_000;
    await ours.decide();
    expect(ours.lines).toHaveLength(3);
  });

  it('are settled by many groups at once, with one line in the log', async () => {
    const started = await instance(5);
    await started.decide();
    await server.admin.set(EPOCH, '9 1 theirs');
    expect(await Promise.all([1, 2, 3, 4].map(() => started.decide()))).toEqual([5, 5, 5, 5]);
    expect(started.lines).toHaveLength(1);
  });
});

describe.skipIf(skip)('the product beside a Redis that knows more than its database', () => {
  const limits = async (services: Services) => {
    const decision = await decideRead(services);
    return { outcome: decision.outcome, limit: addressLimit(decision) };
  };
  const start = (database: Database) => servicesOn(database, { REDIS_URL: server.url }, () => Date.now());

  it('works after an older backup was restored, and changes count at once', async () => {
    const file = await migratedDatabase();
    onTestFinished(() => file[Symbol.dispose]());
    const before = await start(file.database);
    await changeAddressLimit(before, 90);
    const backup = `${file.path}.backup`;
    await file.database.client.executeMultiple(`vacuum into '${backup}'`);
    for (const limit of [91, 92, 93, 94, 95]) await changeAddressLimit(before, limit);
    expect(await limits(before)).toEqual({ outcome: 'allowed', limit: 95 });
    await before.counters.close();

    const restored = file.reopen(backup);
    const after = await start(restored);
    onTestFinished(() => after.counters.close());
    expect(await limits(after)).toEqual({ outcome: 'allowed', limit: 90 });
    expect((await changeAddressLimit(after, 77)).status).toBe(200);
    expect(await limits(after)).toEqual({ outcome: 'allowed', limit: 77 });
    const second = await start(file.reopen(backup));
    onTestFinished(() => second.counters.close());
    expect(await limits(second)).toEqual({ outcome: 'allowed', limit: 77 });
  });

  it('works with a new database', async () => {
    const [old, fresh] = [await migratedDatabase(), await migratedDatabase()];
    for (const file of [old, fresh]) onTestFinished(() => file[Symbol.dispose]());
    const before = await start(old.database);
    for (const limit of [91, 92, 93]) await changeAddressLimit(before, limit);
    expect(await limits(before)).toEqual({ outcome: 'allowed', limit: 93 });
    await before.counters.close();
    const after = await start(fresh.database);
    onTestFinished(() => after.counters.close());
    expect(await limits(after)).toEqual({ outcome: 'allowed', limit: 100 });
    await changeAddressLimit(after, 80);
    expect(await limits(after)).toEqual({ outcome: 'allowed', limit: 80 });
  });

  it('keeps its name over restarts, and a copy has the same', async () => {
    const file = await migratedDatabase();
    onTestFinished(() => file[Symbol.dispose]());
    const owner = async () => {
      const services = await start(file.reopen());
      await decideRead(services);
      await services.counters.close();
      return (await revision())?.split(' ')[2];
    };
    const first = await owner();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(await owner()).toBe(first);
  });
});
