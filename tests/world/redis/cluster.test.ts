import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { KEY_SLOT } from '@/lib/counters/redis/cluster';
import { RedisCounters } from '@/lib/counters/redis/store';
import { type Commit, StoreUnavailable } from '@/lib/counters/store';
import { COUNTERS_SLOT, RedisCluster } from '../../fixtures/redis-cluster';
import { type RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { settle } from '../../fixtures/settle';
import { until } from '../../fixtures/until';

const ask = (name: string, limit: number) => ({
  meters: [
    {
      subject: 'ip' as const,
      key: `ip|${name}|read|3600`,
      limit,
      window: { kind: 'sliding' as const, seconds: 3600 },
    },
    {
      subject: 'quota' as const,
      key: `quota|${name}|month`,
      limit: 1_000_000,
      window: { kind: 'month' as const },
    },
  ],
  cost: 1,
});

describe.skipIf(redisIsMissing('integration/redis (cluster)'))('a Redis Cluster', () => {
  let cluster: RedisCluster;
  const lines: [string, unknown][] = [];
  const log = (detail: unknown, line?: string) => void lines.push([line ?? String(detail), detail]);
  let newestRevision = 0;

  beforeAll(async () => {
    cluster = await RedisCluster.start();
  });
  afterAll(() => cluster.stop());

  async function open(url = cluster.url, commandTimeout = 20_000): Promise<RedisCounters> {
    const store = await RedisCounters.open({
      url,
      logger: { info: log, warn: log, error: log },
      clock: () => Date.now(),
      newestRevision: async () => newestRevision,
      installation: 'test',
      commandTimeout,
    });
    onTestFinished(() => store.close());
    return store;
  }

  const used = (commit: Commit) => (commit.kind === 'decided' ? (commit.verdicts[0]?.readings[0]?.used ?? null) : null);

  /** Asks until somebody answers; a call that was refused on the way has counted nothing. */
  async function answered(store: RedisCounters, revision: number, name: string): Promise<Commit> {
    const deadline = performance.now() + 100_000;
    for (;;) {
      try {
        return await store.commit(revision, [ask(name, 1_000_000)]);
      } catch (error) {
        expect(error).toBeInstanceOf(StoreUnavailable);
        if (performance.now() > deadline) throw error;
        await wait(20);
      }
    }
  }

  it('keeps all counters on one shard, whichever nodes the addresses name', async () => {
    expect(KEY_SLOT).toBe(COUNTERS_SLOT);
    expect(await cluster.masters[0].admin.call('CLUSTER', 'KEYSLOT', 'sluice:{c}:x')).toBe(KEY_SLOT);
    const [one, two, three] = cluster.masters;
    const stores = [
      await open(),
      await open(two.url),
      await open(`redis+cluster://127.0.0.1:1,127.0.0.1:${three.port}`),
    ];
    expect(stores.map(({ isCluster }) => isCluster)).toEqual([true, true, true]);
    expect(lines).toContainEqual([
      'Redis is a cluster: one shard serves all counters',
      { shard: `127.0.0.1:${two.port}` },
    ]);
    const commits = await Promise.all(
      Array.from({ length: 300 }, (_, i) => stores[i % 3]?.commit(0, [ask('exact', 100)])),
    );
    const admitted = commits.filter((commit) => commit?.kind === 'decided' && commit.verdicts[0]?.admitted === true);
    expect(admitted).toHaveLength(100);
    expect([await one.admin.dbsize(), await three.admin.dbsize()]).toEqual([0, 0]);
    expect(await stores[0]?.listKeys('ip|exact|', 10)).toEqual(['ip|exact|read|3600']);
    const exact = { key: 'ip|exact|read|3600', window: { kind: 'sliding', seconds: 3600 } } as const;
    const at = commits.find((commit) => commit?.kind === 'decided')?.now ?? 0;
    const settled = stores.map((store) => settle(store, 'exact', [{ ...exact, at, cost: 100, used: 70 }], 60_000));
    expect((await Promise.all(settled)).filter(Boolean)).toHaveLength(1);
    expect(await settle(stores[0]!, 'more', [{ ...exact, at, cost: 10, used: 60 }], 60_000)).toBe(true);
    expect((await stores[1]?.read([exact]))?.[0]?.used).toBe(120);
    const cleared = stores[2]?.clear({ prefix: 'ip|exact|' });
    if (cleared?.kind === 'action') await cleared.run();
    expect(await stores[1]?.listKeys('ip|', 10)).toEqual([]);
    await expect(stores[0]?.ping()).resolves.toBeUndefined();
  });

  it('counts on while its slot is moved to another shard, and loses nothing', async () => {
    const [, from, to] = cluster.masters;
    const store = await open();
    let acknowledged = 0;
    for (let i = 0; i < 30; i += 1, acknowledged += 1) await answered(store, 0, 'moved');
    let moving = true;
    let during = 0;
    const load = (async () => {
      while (moving) {
        await answered(store, 0, 'moved');
        acknowledged += 1;
        during += 1;
      }
    })();
    await move(from, to, async () => {
      // Half of the keys are there, half are not: nothing is decided until they are together again.
      await wait(100);
    });
    const afterwards = during;
    await until(() => during > afterwards + 20);
    moving = false;
    await load;
    expect(used(await store.commit(0, [ask('moved', 1_000_000)]))).toBe(acknowledged + 1);
    expect(await to.admin.exists('sluice:{c}epoch')).toBe(1);
    expect(lines).toContainEqual([
      'another node of the Redis Cluster serves the counters now',
      { shard: `127.0.0.1:${to.port}` },
    ]);
    await move(to, from);
    expect(used(await answered(store, 0, 'moved'))).toBe(acknowledged + 2);
  });

  it('follows the replica of a master that dies, with its counts, and rules that the database knows', async () => {
    const [, master] = cluster.masters;
    const store = await open();
    for (let i = 0; i < 50; i += 1) await store.commit(0, [ask('failover', 1_000_000)]);
    const key = 'sluice:{c}:ip|failover|read|3600';
    const counted = await master.admin.getBuffer(key);
    await cluster.replica.admin.readonly();
    await until(async () => counted?.equals((await cluster.replica.admin.getBuffer(key)) ?? Buffer.of()) === true);
    newestRevision = 3; // Changed while no master was there to be told.
    await master.kill();
    expect(await whenStale(store)).toEqual({ kind: 'stale', revision: 3 });
    expect(used(await answered(store, 3, 'failover'))).toBeGreaterThanOrEqual(51);
    expect((await cluster.replica.admin.role())[0]).toBe('master');
    const told = lines.map(([line]) => line).filter((line) => line.startsWith('the counter store'));
    expect(told).toEqual(['the counter store is down', 'the counter store is back']);
  });

  /** Asks with the rules of before until it is told of the new ones. */
  async function whenStale(store: RedisCounters): Promise<Commit> {
    for (;;) {
      const commit = await answered(store, 0, 'failover');
      if (commit.kind === 'stale') return commit;
    }
  }

  /** Moves the slot of the counters, as `redis-cli --cluster reshard` does, key by key. */
  async function move(from: RedisServer, to: RedisServer, midway: () => Promise<void> = async () => undefined) {
    const slot = String(COUNTERS_SLOT);
    const [source, target] = [from, to].map(({ admin }) => admin.call('CLUSTER', 'MYID'));
    await to.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(await source));
    await from.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(await target));
    for (let moved = 0; ; moved += 1) {
      const keys = await from.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, '1');
      if (!Array.isArray(keys) || keys.length === 0) break;
      await from.admin.call('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys.map(String));
      if (moved === 0) await midway();
    }
    for (const node of [to, from]) await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(await target));
  }
});
