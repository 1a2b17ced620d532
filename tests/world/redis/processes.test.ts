import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '@/bench/bundle.mjs';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import type { Order } from './admit-process';

describe.skipIf(redisIsMissing('integration/redis (processes)'))('four processes on one Redis', () => {
  let server: RedisServer;
  let children: ChildProcess[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    const script = await bundle('tests/world/redis/admit-process.ts');
    children = [1, 2, 3, 4].map(() => fork(script, [server.url], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
    await Promise.all(children.map((child) => once(child, 'message')));
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await server?.stop();
  });

  async function ask(child: ChildProcess | undefined, order: Order): Promise<number> {
    if (child === undefined) throw new Error('There is no such process.');
    const answer = once(child, 'message');
    child.send(order);
    const [{ admitted }] = await answer;
    return admitted;
  }

  it('admit exactly the limit, 50 times out of 50', async () => {
    for (let run = 0; run < 50; run += 1) {
      const limit = 100 + run * 3;
      const keys = [`ip|${run}|read|3600`, `user|${run}|read|3600`];
      const orders = children.map((_, i) => ({ keys: i % 2 === 0 ? keys : keys.toReversed(), limit, demand: limit }));
      const admitted = await Promise.all(orders.map((order, i) => ask(children[i], order)));
      expect(admitted.reduce((sum, count) => sum + count)).toBe(limit);
    }
  });

  it('leave no key without an expiry', async () => {
    const names = await server.admin.keys('*');
    expect(names.length).toBeGreaterThan(100);
    for (const name of names) expect([name, (await server.admin.pttl(name)) > 0]).toEqual([name, true]);
  });
});
