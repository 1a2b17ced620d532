import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisCounters } from '@/lib/counters/redis/store';
import type { Commit } from '@/lib/counters/store';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { TcpRelay } from '../../fixtures/tcp-relay';
import { until } from '../../fixtures/until';
import { SentinelServer } from '../../world/redis/sentinel-server';

const ATTEMPT = {
  meters: [
    {
      subject: 'ip' as const,
      key: 'ip|a|read|3600',
      limit: 1_000_000,
      window: { kind: 'sliding' as const, seconds: 3600 },
    },
  ],
  cost: 1,
};

describe.skipIf(redisIsMissing('integration/redis (failover)'))('a master that dies under Sentinel', () => {
  it('is followed by its replica, with its counts, and rules that the database knows', async () => {
    const master = await RedisServer.start({ port: 'free' });
    onTestFinished(() => master.stop());
    const replica = await RedisServer.start({
      port: 'free',
      args: ['--replicaof', `127.0.0.1 ${master.port}`, '--repl-diskless-sync-delay', '0'],
    });
    onTestFinished(() => replica.stop());
    await until(async () => (await replica.admin.info('replication')).includes('master_link_status:up'));
    const sentinel = await SentinelServer.start(Number(master.port));
    onTestFinished(() => sentinel.stop());

    let newestRevision = 0;
    const quiet = () => undefined;
    const store = await RedisCounters.open({
      url: `redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`,
      logger: { info: quiet, warn: quiet, error: quiet },
      clock: () => Date.now(),
      newestRevision: async () => newestRevision,
      commandTimeout: 20_000,
      installation: 'test',
    });
    onTestFinished(() => store.close());
    for (let i = 0; i < 50; i += 1) await store.commit(0, [ATTEMPT]);
    // WAIT would wait for what its own connection has written.
    const counter = 'sluice:{c}:ip|a|read|3600';
    const counted = await master.admin.getBuffer(counter);
    await until(async () => counted?.equals((await replica.admin.getBuffer(counter)) ?? Buffer.of()) === true);

    newestRevision = 3; // Changed while no Redis was there to be told.
    await master.kill();
    /** Asks until somebody answers: a call that fails on the way to the new master has counted nothing. */
    const answered = async (revision: number): Promise<Commit> => {
      const faults: string[] = [];
      for (;;) {
        try {
          return await store.commit(revision, [ATTEMPT]);
        } catch (error) {
          const fault = error instanceof Error ? `${error} (${String(error.cause)})` : String(error);
          if (faults.at(-1) !== fault) faults.push(fault);
          if (performance.now() > deadline)
            throw new Error(`Nobody answered: ${faults.join(' ')} ${await sentinel.view()}`);
          await wait(20);
        }
      }
    };
    // A sentinel that was starved itself waits for half a minute before it looks again.
    const deadline = performance.now() + 240_000;
    expect(await answered(0)).toEqual({ kind: 'stale', revision: 3 });
    const commit = await answered(3);
    expect(commit.kind === 'decided' ? commit.verdicts[0]?.readings[0]?.used : null).toBe(51);
  });

  it('is followed although the failover is announced while the sentinel is asked for the master', async () => {
    const master = await RedisServer.start({ port: 'free' });
    onTestFinished(() => master.stop());
    const replica = await RedisServer.start({ port: 'free', args: ['--replicaof', `127.0.0.1 ${master.port}`] });
    onTestFinished(() => replica.stop());
    await until(async () => (await replica.admin.info('replication')).includes('master_link_status:up'));
    const sentinel = await SentinelServer.start(Number(master.port));
    onTestFinished(() => sentinel.stop());
    const relay = await TcpRelay.start(sentinel.port);
    onTestFinished(() => relay.stop());
    const store = await RedisCounters.open({
      url: `redis+sentinel://127.0.0.1:${relay.port}/mymaster`,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      clock: () => Date.now(),
      newestRevision: async () => 0,
      commandTimeout: 20_000,
      installation: 'test',
    });
    onTestFinished(() => store.close());
    const decided = () =>
      store.commit(0, [ATTEMPT]).then(
        ({ kind }) => kind === 'decided',
        () => false,
      );
    await until(() => sentinel.hasListener());
    await until(decided);
    relay.hold();
    await master.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    // One hears of failovers, the other asks for the master.
    await until(() => relay.connections === 2);
    relay.say('*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$1\r\nx\r\n');
    // Who has heard it hangs up.
    await until(() => relay.connections === 1);
    relay.release();
    await until(decided);
  });
});
