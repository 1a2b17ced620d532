import { execFileSync } from 'node:child_process';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLink } from '@/lib/counters/redis/create-link';
import type { RedisLink } from '@/lib/counters/redis/link';
import { StoreUnavailable } from '@/lib/counters/store';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';

/** The answer to `CLIENT SETNAME`, the first command on a connection. */
const FIRST_REPLY = '+OK\r\n';

describe.skipIf(redisIsMissing('world/redis (thaw)'))('a process that was frozen', () => {
  async function open(canFreeze: boolean): Promise<{ link: RedisLink; server: RedisServer; lines: unknown[] }> {
    const server = await RedisServer.start({ port: 'free' });
    onTestFinished(() => server.stop());
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const link = await createLink({
      ...{ url: server.url, logger: { info: log, warn: log, error: log } },
      ...{ canFreeze, commandTimeout: 60_000 },
    });
    onTestFinished(() => link.close());
    expect(await link.open()).toBe(true);
    expect(await link.runCommand('incr', ['calls'])).toBe(1);
    return { link, server, lines };
  }

  /** Blocks this process for a while. Its connections are closed during that time, as by a server that drops idle ones. */
  function freeze(server: RedisServer): void {
    const close = `sleep 1.1; redis-cli -p ${server.port} client kill type normal`;
    execFileSync('sh', ['-c', close]);
  }

  it('finds its connection closed: without a check the next call fails', async () => {
    const { link, server } = await open(false);
    freeze(server);
    await expect(link.runCommand('incr', ['calls'])).rejects.toThrow(StoreUnavailable);
  });

  it('checks its connection and calls on another one, once', async () => {
    const { link, server, lines } = await open(true);
    for (let calls = 2; calls < 5; calls += 1) {
      freeze(server);
      expect(await link.run("return redis.call('incr', KEYS[1])", ['calls'], [])).toBe(calls);
    }
    freeze(server);
    expect(await Promise.all([1, 2, 3].map(() => link.runCommand('incr', ['calls'])))).toEqual([5, 6, 7]);
    expect(lines).toEqual([]);
  });

  it('checks nothing while calls follow each other', async () => {
    const { link, server } = await open(true);
    await server.admin.config('RESETSTAT');
    for (let calls = 0; calls < 20; calls += 1) await link.runCommand('incr', ['calls']);
    expect(await server.admin.info('commandstats')).not.toContain('cmdstat_ping');
  });

  it('reports a server that is down', async () => {
    const { link, server } = await open(true);
    await server.kill();
    execFileSync('sleep', ['1.1']);
    await expect(link.runCommand('incr', ['calls'])).rejects.toThrow(StoreUnavailable);
  });

  it('stays connected while the replies to its first commands come one by one', async () => {
    const { server } = await open(true);
    const relay = createServer((socket) => {
      const redis = connect(server.port ?? 0, '127.0.0.1');
      socket.pipe(redis);
      redis.once('data', async (first: Buffer) => {
        redis.pause();
        socket.write(first.subarray(0, FIRST_REPLY.length));
        // Far longer than the millisecond after which a timer without a time fires.
        await wait(100);
        socket.write(first.subarray(FIRST_REPLY.length));
        redis.pipe(socket);
      });
      for (const each of [socket, redis]) each.on('error', () => undefined);
    });
    await new Promise<void>((done) => relay.listen(0, '127.0.0.1', done));
    onTestFinished(() => void relay.close());
    const { port } = relay.address() as AddressInfo;
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const link = await createLink({
      ...{ url: `redis://127.0.0.1:${port}`, logger },
      ...{ canFreeze: true, commandTimeout: 60_000 },
    });
    onTestFinished(() => link.close());
    expect(await link.open()).toBe(true);
    expect(await link.runCommand('incr', ['calls'])).toBe(2);
  });

  it('is refused with a wrong password, and accepted where none is needed', async () => {
    const { server } = await open(true);
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const openWith = async (password: string) => {
      const url = `redis://:${password}@127.0.0.1:${server.port}/0`;
      const link = await createLink({ url, logger, canFreeze: true, commandTimeout: 60_000 });
      onTestFinished(() => link.close());
      return { isUp: await link.open(), call: () => link.runCommand('incr', ['calls']) };
    };
    const needless = await openWith('needless');
    expect([needless.isUp, await needless.call()]).toEqual([true, 2]);
    await server.admin.config('SET', 'requirepass', 'right');
    const wrong = await openWith('wrong');
    expect(wrong.isUp).toBe(false);
    await expect(wrong.call()).rejects.toThrow(StoreUnavailable);
    const right = await openWith('right');
    expect([right.isUp, await right.call()]).toEqual([true, 3]);
  });

  it.each([true, false])('counts in no other database if its own does not exist (freezes: %s)', async (canFreeze) => {
    const { server } = await open(canFreeze);
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const url = `redis://127.0.0.1:${server.port}/99`;
    const link = await createLink({ url, logger: { info: log, warn: log, error: log }, canFreeze });
    onTestFinished(() => link.close());
    await link.open();
    for (let calls = 0; calls < 50; calls += 1) {
      await expect(link.runCommand('incr', ['calls'])).rejects.toThrow(StoreUnavailable);
      await wait(10);
    }
    expect(await server.admin.get('calls')).toBe('1');
    if (!canFreeze) expect(JSON.stringify(lines)).toContain('the counter store is down');
  });
});
