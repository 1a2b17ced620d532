import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Product, startProduct } from '../../fixtures/product';
import { RedisCluster } from '../../fixtures/redis-cluster';
import { redisIsMissing } from '../../fixtures/redis-server';
import { until } from '../../fixtures/until';

const suite = 'the product on a Redis Cluster';

describe.skipIf(redisIsMissing(suite))(suite, () => {
  let cluster: RedisCluster;
  let product: Product;

  beforeAll(async () => {
    cluster = await RedisCluster.start();
    product = await startProduct({ env: { REDIS_URL: cluster.url, SLUICE_LOG_LEVEL: 'info' } });
  });
  afterAll(async () => {
    await product?.stop();
    await cluster?.stop();
  });

  const check = async (ip: string) => {
    const response = await product.admin('POST', '/v1/check', { class: 'read', ip });
    return (await response.json()) as { allowed: boolean; remaining: number; status?: string };
  };
  const metric = async (line: RegExp) => Number(line.exec(await (await product.admin('GET', '/metrics')).text())?.[1]);

  it('starts, says that it is one, and is ready', async () => {
    expect(product.output()).toContain('Redis is a cluster: one shard serves all counters');
    const ready = await fetch(`${product.origin}/readyz?strict=true`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({
        status: 'ready',
        parts: expect.objectContaining({ counter_store: { ok: true, cluster: true } }),
      }),
    ]);
  });

  it('decides exactly, in the cluster', async () => {
    const decisions = await Promise.all(Array.from({ length: 120 }, () => check('203.0.113.1')));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(100);
    const [, holder] = cluster.masters;
    expect(await holder.admin.dbsize()).toBeGreaterThan(0);
  });

  it('measures the store', async () => {
    expect(await metric(/^sluice_part_up\{part="counter_store"\} (\d)/m)).toBe(1);
    expect(await metric(/^sluice_store_commit_seconds_count\S* (\d+)/m)).toBeGreaterThan(0);
  });

  it('goes on after a failover, with what was counted', async () => {
    const before = await check('203.0.113.2');
    const [, holder] = cluster.masters;
    await until(async () => (await holder.admin.call('WAIT', '1', '100')) === 1);
    await cluster.replica.admin.call('CLUSTER', 'FAILOVER');
    await until(async () => (await cluster.replica.admin.info('replication')).includes('role:master'));
    await until(async () => (await check('203.0.113.2')).status !== 'degraded');
    const after = await check('203.0.113.2');
    expect([before.remaining, after.remaining]).toEqual([99, expect.any(Number)]);
    expect(after.remaining).toBeLessThan(99);
    expect((await fetch(`${product.origin}/readyz?strict=true`)).status).toBe(200);
  });
});
