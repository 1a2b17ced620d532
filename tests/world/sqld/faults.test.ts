import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RemoteCounters } from '@/lib/counters/remote/store';
import { StoreUnavailable } from '@/lib/counters/store';
import { migrate } from '@/lib/db/migrate';
import type { Attempt } from '@/lib/limiter/meter';
import { SqldServer, sqldIsMissing } from '@/tests/fixtures/sqld-server';
import { until } from '@/tests/fixtures/until';

const HOUR = { kind: 'sliding', seconds: 3600 } as const;

function ask(key: string, limit = 1_000): Attempt {
  return { meters: [{ subject: 'ip', key: `ip|${key}|read|3600`, limit, window: HOUR }], cost: 1 };
}

describe.skipIf(sqldIsMissing('integration/sqld (faults)'))('a libSQL server that fails', () => {
  let server: SqldServer;

  beforeAll(async () => {
    server = await SqldServer.start();
    const database = server.open();
    await migrate(database, 'drizzle', 0);
    database.close();
  });
  afterAll(() => server?.stop());

  function open(timeout: number): RemoteCounters {
    const database = server.open();
    onTestFinished(() => database.close());
    return new RemoteCounters({ client: database.client, clock: () => Date.now(), wait, random: Math.random, timeout });
  }

  const used = async (store: RemoteCounters, key: string) =>
    (await store.read([{ key: `ip|${key}|read|3600`, window: HOUR }]))[0]?.used;
  const works = (store: RemoteCounters) => () =>
    store.commit(0, [ask('probe')]).then(
      () => true,
      () => false,
    );

  it('is shared by many: together they admit exactly the limit', async () => {
    const stores = [1, 2, 3, 4].map(() => open(20_000));
    const groups = stores.flatMap((store) =>
      Array.from({ length: 10 }, () =>
        store.commit(
          0,
          Array.from({ length: 20 }, () => ask('shared', 300)),
        ),
      ),
    );
    const verdicts = (await Promise.all(groups)).flatMap((commit) =>
      commit.kind === 'decided' ? commit.verdicts : [],
    );
    expect(verdicts).toHaveLength(800);
    expect(verdicts.filter(({ admitted }) => admitted)).toHaveLength(300);
  });

  it('was killed: calls fail at once, nothing acknowledged is lost, and they work after its restart', async () => {
    const store = open(5_000);
    let acknowledged = 0;
    for (let i = 0; i < 30; i += 1) {
      await store.commit(0, [ask('killed'), ask('killed')]);
      acknowledged += 2;
    }
    await server.kill();
    for (const call of [() => store.commit(0, [ask('killed')]), () => store.ping()]) {
      const fault = await call().catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(StoreUnavailable);
      expect((fault as Error).message, 'nothing was waited for').not.toMatch(/in time/);
    }
    await server.start();
    await until(works(store));
    expect(await used(store, 'killed')).toBe(acknowledged);
  });

  it('was not there when the process started: it is found when it comes', async () => {
    await server.kill();
    const store = open(5_000);
    await expect(store.commit(0, [ask('early')])).rejects.toBeInstanceOf(StoreUnavailable);
    await server.start();
    await until(works(store));
  });

  it('hangs: calls end in time, and work again when it resumes', async () => {
    const store = open(400);
    await until(works(store));
    server.hang();
    await expect(store.commit(0, [ask('hung')])).rejects.toThrow('The libSQL server did not answer in time.');
    server.proceed();
    await until(works(store));
  });

  it('is locked by another writer: the group waits for it', async () => {
    const store = open(20_000);
    const database = server.open();
    onTestFinished(() => database.close());
    const transaction = await database.client.transaction('write');
    await transaction.execute("delete from counter_slots where key = 'nobody'");
    const group = store.commit(0, [ask('locked')]);
    await wait(300);
    await transaction.commit();
    expect((await group).kind).toBe('decided');
    expect(await used(store, 'locked')).toBe(1);
  });
});
