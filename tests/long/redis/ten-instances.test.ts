import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import type { Millis } from '@/lib/units';
import { RedisCluster } from '../../fixtures/redis-cluster';
import { type RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { until } from '../../fixtures/until';
import type { Order, Tally } from './instance-process';

const LIMIT = 20_000;
const INSTANCES = 10;
/** Time before an event in which an acknowledged group may not have reached the replica. */
const LAG: Millis = 1_000;
const CASES = [
  { name: 'with a replica that follows', isCutOff: false, isGuarded: false, ip: '203.0.113.2' },
  { name: 'with a replica that is cut off', isCutOff: true, isGuarded: false, ip: '203.0.113.3' },
  {
    name: 'with a replica that is cut off, and min-replicas-to-write',
    isCutOff: true,
    isGuarded: true,
    ip: '203.0.113.4',
  },
];

/** One of the instances, and its newest report. */
class Instance {
  tally: Tally | null = null;

  constructor(readonly child: ChildProcess) {
    child.on('message', ({ progress }: { progress?: Tally }) => {
      if (progress !== undefined) this.tally = progress;
    });
  }

  flood(ip: string): void {
    this.tally = null;
    this.child.send({ kind: 'flood', ip } satisfies Order);
  }

  /** @param since start of the interval of `between`, which ends `before` */
  async stop(since: number, before: number): Promise<Tally> {
    const result = new Promise<Tally>((resolve) => {
      this.child.on('message', (message: { result?: Tally }) => {
        if (message.result !== undefined) resolve(message.result);
      });
    });
    this.child.send({ kind: 'stop', since, before } satisfies Order);
    return result;
  }
}

describe.skipIf(redisIsMissing('integration/redis (ten instances)'))('ten instances on one Redis Cluster', () => {
  let cluster: RedisCluster;
  let instances: Instance[] = [];

  beforeAll(async () => {
    cluster = await RedisCluster.start();
    const script = await bundle('tests/long/redis/instance-process.ts');
    const children = Array.from({ length: INSTANCES }, (_, id) =>
      fork(script, [cluster.url, String(LIMIT), String(id)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
    );
    instances = children.map((child) => new Instance(child));
    await Promise.all(children.map((child) => once(child, 'message')));
  });
  afterAll(async () => {
    for (const { child } of instances) child.kill('SIGKILL');
    await cluster?.stop();
  });

  const sum = (tallies: readonly (Tally | null)[], name: 'stored' | 'between' | 'degraded' | 'unavailable') =>
    tallies.reduce((total, tally) => total + (tally?.[name] ?? 0), 0);
  const now = () => instances.map(({ tally }) => tally);
  const all = (isReached: (tally: Tally) => boolean) => () =>
    now().every((tally) => tally !== null && isReached(tally));

  it('admit exactly the limit together', async () => {
    for (const instance of instances) instance.flood('203.0.113.1');
    await until(all(({ hasStore, isFull }) => hasStore && isFull));
    const tallies = await Promise.all(instances.map((instance) => instance.stop(0, 0)));
    // What an instance decided on its own, because the machine was too busy, is not counted in the store.
    expect(sum(tallies, 'stored')).toBeLessThanOrEqual(LIMIT);
    if (sum(tallies, 'unavailable') === 0) expect(sum(tallies, 'stored')).toBe(LIMIT);
  });

  it.each(CASES)(
    'admit no more than the master lost when it is killed, $name, and use the replica without a restart',
    async (options) => {
      const { isCutOff, isGuarded, ip } = options;
      const [master, replica] = await findShard(cluster);
      const guard = ['min-replicas-to-write', isGuarded ? '1' : '0', 'min-replicas-max-lag', '1'] as const;
      for (const { admin } of [master, replica]) await admin.call('CONFIG', 'SET', ...guard);
      for (const instance of instances) instance.flood(ip);
      const reached = (share: number) => until(() => sum(now(), 'stored') >= LIMIT * share);
      await reached(0.3);
      let since = Date.now();
      if (isCutOff) {
        // The replica gets nothing more, and the master goes on.
        replica.hang();
        await master.admin.client('KILL', 'TYPE', 'REPLICA');
        since = Date.now();
        if (isGuarded) await until(all(({ unavailable }) => unavailable > 0));
        else await reached(0.6);
      } else await reached(0.5);
      await master.kill();
      const killedAt = Date.now();
      if (isCutOff) replica.proceed();
      // Every instance notices it, and every instance finds the new master.
      await until(all(({ unavailable }) => unavailable > 0));
      await until(async () => (await replica.admin.role())[0] === 'master');
      const promotedAt = Date.now();
      // With the guard, the new master waits for a replica too.
      if (isGuarded) await master.start();
      await until(all(({ hasStore, isFull }) => hasStore && isFull));
      const recoveredAt = Date.now();
      const tallies = await Promise.all(instances.map((instance) => instance.stop(since - LAG, killedAt)));

      const stored = sum(tallies, 'stored');
      const mayBeLost = sum(tallies, 'between');
      process.stdout.write(
        `${options.name}: promoted after ${promotedAt - killedAt} ms, all instances decided with the store after ` +
          `${recoveredAt - killedAt} ms; the store admitted ${stored} of ${LIMIT}, and ${mayBeLost} may not have been ` +
          `replicated; the instances admitted ${sum(tallies, 'degraded')} on their own\n`,
      );
      expect(stored).toBeLessThanOrEqual(LIMIT + mayBeLost);
      for (const tally of tallies) {
        expect(tally.degraded).toBeLessThanOrEqual(LIMIT / 2);
        expect(tally).toMatchObject({ strangersRefused: 0, unsafeSignIns: 0 });
        expect(tally.unavailable).toBeGreaterThan(0);
      }

      // The former master comes back without its data, and follows the new one.
      if (!isGuarded) await master.start();
      await until(async () => (await master.admin.info('replication')).includes('master_link_status:up'));
    },
  );
});

/** Returns the master that serves the counters, and its replica. */
async function findShard(cluster: RedisCluster): Promise<[master: RedisServer, replica: RedisServer]> {
  const [, first] = cluster.masters;
  return (await first.admin.role())[0] === 'master' ? [first, cluster.replica] : [cluster.replica, first];
}
