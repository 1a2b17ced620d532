import { expect, it, onTestFinished } from 'vitest';
import { createLink } from '@/lib/counters/redis/create-link';
import { startFreezingRelay } from '../../fixtures/frozen-process';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { UpstashServer } from '../../fixtures/upstash-server';

it.skipIf(redisIsMissing('world/redis (thaw over HTTP)'))(
  'a process that was frozen calls Redis over HTTP once, although its connection was closed',
  async () => {
    const redis = await RedisServer.start({ port: 'free' });
    onTestFinished(() => redis.stop());
    const rest = await UpstashServer.start(redis.url);
    onTestFinished(() => rest.stop());
    const relay = await startFreezingRelay(rest.port);
    onTestFinished(() => relay.stop());
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const link = await createLink({
      ...{ url: rest.url.replace(String(rest.port), String(relay.port)), canFreeze: true, commandTimeout: 60_000 },
      logger: { info: log, warn: log, error: log },
    });
    onTestFinished(() => link.close());
    // Without a check, about every third call is written to a closed connection.
    for (let calls = 1; calls <= 10; calls += 1) {
      expect(await link.run("return redis.call('incr', KEYS[1])", ['calls'], [])).toBe(calls);
      relay.freeze();
    }
    expect(lines).toEqual([]);
  },
);
