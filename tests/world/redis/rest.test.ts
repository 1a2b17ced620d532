import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLink } from '@/lib/counters/redis/create-link';
import type { RedisLink } from '@/lib/counters/redis/link';
import { RedisCounters } from '@/lib/counters/redis/store';
import { type CounterChange, StoreUnavailable } from '@/lib/counters/store';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { settle } from '../../fixtures/settle';
import { type RestFailure, UpstashServer } from '../../fixtures/upstash-server';

const SECRET_KEY = 'ip|203.0.113.77|read|3600';
const COUNTER = `sluice:{c}:${SECRET_KEY}`;
const attempt: Attempt = {
  meters: [{ subject: 'ip', key: SECRET_KEY, limit: 1_000, window: { kind: 'sliding', seconds: 3600 } }],
  cost: 1,
};

describe.skipIf(redisIsMissing('integration/redis (over HTTP)'))('Redis over HTTP', () => {
  let redis: RedisServer;
  let rest: UpstashServer;
  const lines: string[] = [];
  const details: unknown[] = [];
  const log = (detail: unknown, line?: string) => {
    details.push(detail);
    lines.push(line ?? String(detail));
  };
  const logger = { info: log, warn: log, error: log };
  let newestRevision: number;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    rest = await UpstashServer.start(redis.url);
    newestRevision = 7;
  });
  afterEach(async () => {
    await rest.stop();
    await redis.admin.call('FLUSHALL');
    lines.length = 0;
    details.length = 0;
  });

  async function connect(url = rest.url, commandTimeout = 60_000): Promise<RedisLink> {
    const link = await createLink({ url, logger, commandTimeout });
    onTestFinished(() => link.close());
    await link.open();
    return link;
  }

  async function open(commandTimeout = 60_000): Promise<RedisCounters> {
    const store = await RedisCounters.open({
      ...{ url: rest.url, logger, commandTimeout, installation: 'test' },
      clock: () => Date.now(),
      newestRevision: async () => newestRevision,
    });
    onTestFinished(() => store.close());
    return store;
  }

  const count = async (store: RedisCounters) => {
    const [state] = await store.read([{ key: SECRET_KEY, window: { kind: 'sliding', seconds: 3600 } }]);
    return state?.used;
  };

  it('replies texts, numbers, lists and nothing as a socket does', async () => {
    const [socket, http] = [await connect(redis.url), await connect()];
    const texts = ['k é', '"1"', '1', '1e400', 'null', 'true', '[1]', '{"a":1}', 'OK', 'T0s=', '', '\ufeffa', ' a\n'];
    for (const link of [socket, http]) {
      for (const text of texts) {
        expect(await link.runCommand('set', ['text', text])).toBe('OK');
        expect(await link.runCommand('get', ['text'])).toBe(text === '\ufeffa' && link === http ? 'a' : text);
      }
      expect(await link.runCommand('get', ['missing'])).toBeNull();
      expect(await link.run('return {1, ARGV[1], {KEYS[1]}, false, 2.9}', ['k'], ['7'])).toEqual([
        ...[1, '7', ['k'], null, 2],
      ]);
      expect(await link.run('return false', [], [])).toBeNull();
    }
  });

  it('replies every byte of a script', async () => {
    const script = 'local s = "" for i = 0, 255 do s = s .. string.char(i) end return s .. s';
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));
    for (const url of [redis.url, rest.url]) {
      const link = await connect(url);
      expect(await link.run(script, [], [], 'bytes')).toEqual(bytes);
      expect(await link.run('return {"a"}', [], [], 'bytes')).toEqual([url === rest.url ? 'a' : Buffer.from('a')]);
      expect(await link.run('return 7', [], [], 'bytes')).toBe(7);
    }
  });

  it.each([
    ...['"garbage"', '"zz"', '""', 'null', '5', '9007199254740993', '{"a":1}', '[]', '[[1,2],null,"x"]', '["x",[]]'],
    ...['["-1","-1","zz"]', '[["x","y"]]'],
  ])('takes %s for no reply of ours, whatever was asked', async (result) => {
    const store = await open();
    await store.commit(7, [attempt]);
    rest.failure = { status: 200, body: `{"result":${result}}` };
    const run = (change: CounterChange) => (change.kind === 'action' ? change.run() : expect.fail('It is no action.'));
    const kept = { seq: 1, until: Date.now() + 60_000 };
    for (const [name, ask] of Object.entries({
      commit: () => store.commit(7, [attempt]),
      read: () => count(store),
      list: () => store.listKeys('', 10),
      clear: () => run(store.clear({ keys: [SECRET_KEY] }, kept)),
      clearByPrefix: () => run(store.clear({ prefix: 'ip|' })),
      reset: () => run(store.resetUsage({ key: 'quota|a|month', window: { kind: 'month' } })),
    }))
      await expect(ask(), name).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it('scans every key once or more', async () => {
    const names = Array.from({ length: 2_500 }, (_, i) => `sluice:{c}:ip|${i}|read|60`);
    for (const name of names) await redis.admin.set(name, '1');
    const found = new Set<string>();
    for await (const step of (await connect()).scan('sluice:{c}:*')) for (const name of step) found.add(name);
    expect([...found].sort()).toEqual(names.sort());
  });

  it('sends the token and reports nothing to anybody', async () => {
    await (await open()).commit(7, [attempt]);
    expect(rest.requests.length).toBeGreaterThan(0);
    for (const headers of rest.requests) {
      expect(headers.authorization).toBe(`Bearer ${rest.token}`);
      expect(Object.keys(headers).filter((name) => name.includes('telemetry'))).toEqual([]);
    }
  });

  it('sends the text of a script once, and again after it was lost', async () => {
    const link = await connect();
    for (const _ of ['at first', 'after the loss']) {
      await redis.admin.script('FLUSH');
      await redis.admin.config('RESETSTAT');
      for (let i = 0; i < 5; i += 1)
        expect(await link.run('return ARGV[1]', [], ['é'], 'bytes')).toEqual(Buffer.from('é'));
      const stats = await redis.admin.info('commandstats');
      expect(stats).toMatch(/cmdstat_eval:calls=1,/);
      expect(stats).toMatch(/cmdstat_evalsha:calls=5,/);
    }
  });

  it('never counts a call twice whose answer was lost', async () => {
    const store = await open();
    for (let i = 0; i < 3; i += 1) await store.commit(7, [attempt]);
    const before = rest.requests.length;
    rest.failure = 'lost';
    await expect(store.commit(7, [attempt])).rejects.toThrow(StoreUnavailable);
    expect(rest.requests.length).toBe(before + 1);
    rest.failure = null;
    expect(await count(store)).toBe(4);
  });

  it('takes one round trip for a check of three limits of two windows, and one to settle it', async () => {
    const store = await open();
    const meters = ['a', 'b', 'c'].flatMap((name) =>
      [60, 3600].map((seconds): Meter => {
        const window = { kind: 'sliding', seconds } as const;
        return { subject: 'limit', key: `limit|acme|${name}|${seconds}`, limit: 10, window };
      }),
    );
    // The first call loads the script.
    await store.commit(7, [attempt]);
    const before = rest.requests.length;
    await redis.admin.config('RESETSTAT');
    const commit = await store.commit(7, [{ meters, cost: 2 }]);
    if (commit.kind !== 'decided') throw new Error('It was not decided.');
    expect(commit.verdicts.map(({ admitted }) => admitted)).toEqual([true]);
    const charges = meters.map(({ key, window }) => ({ key, window, at: commit.now, cost: 2, used: 5 }));
    expect(await settle(store, 'id', charges, 60_000, 7)).toBe(true);
    expect((await store.read(meters)).map(({ used }) => used)).toEqual(meters.map(() => 5));
    // The third is the read.
    expect(rest.requests.length).toBe(before + 3);
    expect(await redis.admin.info('commandstats')).toMatch(/cmdstat_evalsha:calls=3,/);
  });

  const html = { status: 502, body: '<html>Bad Gateway</html>' };
  const refusal = (error: string): RestFailure => ({ status: 400, body: JSON.stringify({ error }) });
  it.each<[RestFailure, string, boolean]>([
    ['hang', 'Redis did not answer in time.', true],
    ['drop', 'Redis is down.', true],
    ['lost', 'Redis is down.', true],
    [html, 'Redis is down.', true],
    [{ status: 200, body: 'no JSON' }, 'Redis is down.', true],
    [{ status: 401, body: '{"error":"Unauthorized"}' }, 'Redis rejects the token.', false],
    [refusal('WRONGPASS invalid or missing auth token'), 'Redis rejects the user or the password.', false],
    [refusal('NOPERM this user has no permissions'), 'The Redis user may not do this.', false],
    [refusal("OOM command not allowed when used memory > 'maxmemory'."), 'Redis has no memory left', false],
    [refusal('LOADING Redis is loading the dataset in memory'), 'Redis is still loading its data.', false],
    [refusal('ERR max requests limit exceeded. Limit: 500000'), 'Redis refused a command.', false],
  ])('fails at once with %j, and works again without a restart', async (failure, sentence, isDown) => {
    const store = await open(500);
    await store.commit(7, [attempt]);
    rest.failure = failure;
    const fault: unknown = await store.commit(7, [attempt]).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(StoreUnavailable);
    expect(fault).toMatchObject({ message: expect.stringContaining(sentence) });
    // Neither the caller nor the token may reach a log.
    expect(inspect([fault, details], { depth: 9 })).not.toMatch(/203\.0\.113\.77|AX\+a|AX%2B/);
    rest.failure = null;
    expect(await store.commit(7, [attempt])).toMatchObject({ kind: 'decided' });
    expect(lines).toEqual(isDown ? ['the counter store is down', 'the counter store is back'] : []);
  });

  it('answers at once where nobody listens', async () => {
    const store = await open(500);
    await rest.stop();
    await expect(store.ping()).rejects.toThrow('Redis is down.');
  });

  it('compares the revision with the database after a failure, because another server may answer', async () => {
    const store = await open();
    await store.commit(7, [attempt]);
    // The database has a change that this Redis lost, as a replica that lagged.
    newestRevision = 8;
    expect(await store.commit(7, [attempt])).toMatchObject({ kind: 'decided' });
    rest.failure = 'drop';
    await expect(store.commit(7, [attempt])).rejects.toThrow(StoreUnavailable);
    rest.failure = null;
    expect(await store.commit(7, [attempt])).toEqual({ kind: 'stale', revision: 8 });
    expect(await store.commit(8, [attempt])).toMatchObject({ kind: 'decided' });
  });

  it('takes the token from the address, whatever its characters', async () => {
    const link = await connect(rest.url.replace(encodeURIComponent(rest.token), 'another'));
    await expect(link.runCommand('ping', [])).rejects.toThrow('Redis rejects the user or the password.');
    expect(await (await connect()).runCommand('ping', [])).toBe('PONG');
  });

  it('leaves nothing behind: two stores, one over a socket, decide together', async () => {
    const http = await open();
    const socket = await RedisCounters.open({
      ...{ url: redis.url, logger, commandTimeout: 60_000, installation: 'test' },
      clock: () => Date.now(),
      newestRevision: async () => 7,
    });
    onTestFinished(() => socket.close());
    for (const store of [http, socket, http, socket]) await store.commit(7, [attempt]);
    expect([await count(http), await count(socket)]).toEqual([4, 4]);
    expect(await redis.admin.exists(COUNTER)).toBe(1);
  });
});
