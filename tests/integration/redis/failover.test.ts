import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisCounters } from '@/lib/counters/redis';
import { RedisServer, redisIsMissing, until } from '../../fixtures/redis-server';
import { SentinelServer } from './sentinel-server';

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

    let head = 0;
    const quiet = () => undefined;
    const store = await RedisCounters.open({
      url: `redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`,
      logger: { info: quiet, warn: quiet, error: quiet },
      clock: () => Date.now(),
      head: async () => head,
      commandTimeout: 20_000,
      installation: 'test',
    });
    onTestFinished(() => store.close());
    for (let i = 0; i < 50; i += 1) await store.commit(0, [ATTEMPT]);
    await master.admin.wait(1, 1_000);

    head = 3; // Changed while no Redis was there to be told.
    await master.kill();
    let commit = await store.commit(0, [ATTEMPT]).catch(() => null);
    await until(async () => {
      commit = await store.commit(0, [ATTEMPT]).catch(() => null);
      return commit !== null;
    });
    expect(commit).toEqual({ kind: 'stale', epoch: 3 });
    commit = await store.commit(3, [ATTEMPT]);
    expect(commit.kind === 'decided' ? commit.verdicts[0]?.readings[0]?.used : null).toBe(51);
  });
});
