import type { Server } from 'node:http';
import express from 'express';
import { MemoryStore, type Options, rateLimit } from 'express-rate-limit';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SluiceStoreOptions, SluiceStore as Store } from '@/client/adapters/express-rate-limit';
import { createLimit } from '@/lib/admin/named-limits/create';
import { call } from '@/tests/fixtures/call';
import { close } from '@/tests/fixtures/listen';
import { importPacked, type ServedSluice, serveSluice } from '@/tests/fixtures/packed-client';
import { until } from '@/tests/fixtures/until';

const MINUTE = 60_000;
const DAY = 86_400_000;
const POLICIES = {
  classes: {
    read: { ip: { limit: 100, window_seconds: 900 }, user: { limit: 1_000_000, window_seconds: 86_400 } },
    write: { ip: { limit: 5, window_seconds: 3_600 }, user: { limit: 3, window_seconds: 60 } },
    auth: { ip: { limit: 2, window_seconds: 60 } },
  },
};

/** The same numbers as named limits. */
const LIMITS = [
  ['read', 100, 900],
  ['write', 5, 3_600],
  ['write-user', 3, 60],
  ['auth', 2, 60],
  ['days', 1_000_000, 86_400],
] as const;

let SluiceStore: typeof Store;
let sluice: ServedSluice;
beforeAll(async () => {
  ({ SluiceStore } = await importPacked<{ SluiceStore: typeof Store }>('express-rate-limit'));
  sluice = await serveSluice(POLICIES);
  for (const [name, limit, seconds] of LIMITS) {
    const body = { name, windows: [{ limit, seconds }] };
    expect((await call(sluice.place.services, createLimit, { body })).status).toBe(201);
  }
});
afterAll(() => sluice[Symbol.asyncDispose]());
let printed: unknown[] = [];
beforeEach(() => {
  // Every window is empty again. express-rate-limit takes nothing back whose window has ended by the machine's clock.
  const { clock } = sluice.place;
  clock.advance(DAY * Math.max(2, Math.ceil((Date.now() - clock.now) / DAY)));
  printed = [];
  for (const method of ['warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words.join(' ')));
});
afterEach(() => void vi.restoreAllMocks());

type Without<T> = T extends unknown ? Omit<T, 'sluice'> : never;
const storeOf = (options: Without<SluiceStoreOptions>, client = sluice.connect({ onUnreachable: 'throw' })) =>
  new SluiceStore({ sluice: client, clock: sluice.clock, ...options });

/** Serves an application whose paths answer with the status that they name. */
async function serve(...limits: [path: string, options: Partial<Options>][]) {
  const app = express().set('trust proxy', 1);
  for (const [path, options] of limits) app.use(path, rateLimit(options));
  app.use((request, response) => void response.status(Number(request.query.status ?? 200)).send('ok'));
  app.use(
    (error: { status?: number; code?: string }, _request: unknown, response: express.Response, _next: unknown) =>
      void response.status(error.status || 500).send(error.code),
  );
  const server = await new Promise<Server>((resolve) => {
    const started = app.listen(0, '127.0.0.1', () => resolve(started));
  });
  onTestFinished(() => close(server));
  const { port } = server.address() as { port: number };
  return (path: string, { ip = '203.0.113.7', ...headers }: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-forwarded-for': ip, ...headers } });
}

const statuses = async (get: Awaited<ReturnType<typeof serve>>, count: number, path = '/', headers = {}) => {
  const all: number[] = [];
  for (let i = 0; i < count; i += 1) all.push((await get(path, headers)).status);
  return all;
};

describe.each(['class', 'named limit'] as const)('the examples of express-rate-limit, by a %s,', (kind) => {
  const byAddress = (name: 'read' | 'write' | 'auth') =>
    storeOf(kind === 'class' ? { class: name } : { limitName: name });
  const byUser = (prefix: string) =>
    storeOf(kind === 'class' ? { class: 'write', subject: 'user', prefix } : { limitName: 'write-user', prefix });

  it('limit each address to 100 requests in 15 minutes', async () => {
    const get = await serve([
      '/',
      {
        windowMs: 15 * MINUTE,
        limit: 100,
        standardHeaders: 'draft-8',
        legacyHeaders: false,
        ipv6Subnet: 56,
        store: byAddress('read'),
      },
    ]);
    const first = await get('/');
    expect([first.status, first.headers.get('ratelimit-policy')]).toEqual([
      200,
      expect.stringContaining('"100-in-15min"; q=100; w=900'),
    ]);
    expect(first.headers.get('ratelimit')).toContain('r=99');
    expect(await statuses(get, 99)).toEqual(Array(99).fill(200));
    const refused = await get('/');
    expect([refused.status, await refused.text()]).toEqual([429, 'Too many requests, please try again later.']);
    expect(refused.headers.get('ratelimit')).toContain('r=0');
    expect((await get('/', { ip: '203.0.113.8' })).status).toBe(200);
    // An IPv6 address counts with its /56.
    expect((await get('/', { ip: '2001:db8:0:101::1' })).headers.get('ratelimit')).toContain('r=99');
    expect((await get('/', { ip: '2001:db8:0:1ff::2' })).headers.get('ratelimit')).toContain('r=98');
    expect(printed).toEqual([]);
  });

  it('have several limits, with messages and handlers of their own', async () => {
    const message = 'Too many accounts created from this IP, please try again after an hour';
    const get = await serve(
      ['/api', { windowMs: 15 * MINUTE, limit: 100, store: byAddress('read') }],
      ['/create-account', { windowMs: 60 * MINUTE, limit: 5, message, store: byAddress('write') }],
      [
        '/login',
        {
          limit: 2,
          store: byAddress('auth'),
          handler: (_request, response, _next, { statusCode }) => response.status(statusCode).json({ slow: true }),
        },
      ],
    );
    expect(await statuses(get, 6, '/create-account')).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await (await get('/create-account')).text()).toBe(message);
    const refused = await statuses(get, 3, '/login').then(() => get('/login'));
    expect([refused.status, await refused.json()]).toEqual([429, { slow: true }]);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBe(sluice.place.clock.now / 1_000 + 61);
    expect((await get('/api/orders')).headers.get('x-ratelimit-remaining')).toBe('99');
    expect(printed).toEqual([]);
  });

  it('count users by a key of their own, each prefix apart', async () => {
    const byKey = (prefix: string): Partial<Options> => ({
      limit: 3,
      windowMs: MINUTE,
      keyGenerator: (request) => String(request.headers['x-user']),
      store: byUser(prefix),
    });
    const get = await serve(['/one', byKey('one:')], ['/two', byKey('two:')]);
    expect(await statuses(get, 4, '/one', { 'x-user': 'alice' })).toEqual([200, 200, 200, 429]);
    expect(await statuses(get, 1, '/one', { 'x-user': 'bob' })).toEqual([200]);
    expect(await statuses(get, 1, '/two', { 'x-user': 'alice' })).toEqual([200]);
  });

  it.each([
    ['failed', { skipFailedRequests: true }, 401, 200],
    ['successful', { skipSuccessfulRequests: true }, 200, 401],
  ] as const)('take back %s requests', async (_, options, skipped, counted) => {
    const get = await serve(['/', { limit: 2, windowMs: MINUTE, ...options, store: byAddress('auth') }]);
    for (let i = 0; i < 4; i += 1) {
      expect((await get(`/?status=${skipped}`)).status).toBe(skipped);
      await until(async () => {
        const subject = '203.0.113.7';
        const { subjects } = await sluice
          .connect()
          .limits.explain(kind === 'class' ? { class: 'auth', ip: subject } : { limits: [{ name: 'auth', subject }] });
        return subjects[0]?.used === 0;
      });
    }
    expect(await statuses(get, 3, `/?status=${counted}`)).toEqual([counted, counted, 429]);
    // A refusal was never counted, so taking it back gives nothing.
    expect(await statuses(get, 2, `/?status=${counted}`)).toEqual([429, 429]);
  });

  it('read and reset a key', async () => {
    const limiter = rateLimit({ limit: 2, windowMs: MINUTE, store: byAddress('auth') });
    const store = byAddress('auth');
    expect(await limiter.getKey('203.0.113.7')).toBeUndefined();
    await store.increment('203.0.113.7');
    expect(await limiter.getKey('203.0.113.7')).toEqual({
      totalHits: 1,
      resetTime: new Date(sluice.place.clock.now + 61_000),
    });
    await limiter.resetKey('203.0.113.7');
    expect(await limiter.getKey('203.0.113.7')).toBeUndefined();
  });
});

describe('a store', () => {
  it.each([
    ['another limit', { limit: 7, windowMs: MINUTE }, 'states 7 in 60 s, but the policy of Sluice is 2.'],
    [
      'another window',
      { limit: 2, windowMs: 15 * MINUTE },
      'states 2 in 900 s, but the policy of Sluice is 2 in about 60 s.',
    ],
  ])('warns once of %s, and refuses by the smaller number', async (_, options, warning) => {
    const get = await serve(['/', { ...options, store: storeOf({ class: 'auth' }) }]);
    expect(await statuses(get, 4)).toEqual([200, 200, 429, 429]);
    expect(printed).toEqual([expect.stringContaining(warning)]);
  });

  it('refuses whatever limit a function returns', async () => {
    const get = await serve(['/', { limit: () => 1_000, windowMs: MINUTE, store: storeOf({ class: 'auth' }) }]);
    expect(await statuses(get, 3)).toEqual([200, 200, 429]);
    expect(printed).toEqual([]);
  });

  it('counts keys that are no addresses together, and warns once', async () => {
    const store = storeOf({ class: 'auth' });
    const hits = [await store.increment('alice'), await store.increment('bob'), await store.increment('carol')];
    expect(hits.map(({ totalHits }) => totalHits)).toEqual([1, 2, Number.MAX_SAFE_INTEGER]);
    expect(printed).toEqual([expect.stringContaining("subject: 'user'")]);
    expect((await store.increment('203.0.113.50:51234')).totalHits).toBe(1);
  });

  it('fails as its options say while Sluice is down', async () => {
    const down = { url: 'http://127.0.0.1:9', timeout: 1_000 };
    const closed = () => storeOf({ class: 'auth' }, sluice.connect(down));
    const limits = { limit: 2, windowMs: MINUTE };
    const get = await serve(
      ['/error', { ...limits, store: closed() }],
      ['/pass', { ...limits, store: closed(), passOnStoreError: true }],
      ['/local', { limit: 100, windowMs: 15 * MINUTE, store: storeOf({ class: 'read' }, sluice.connect(down)) }],
    );
    const failed = await get('/error');
    expect([failed.status, await failed.text()]).toEqual([503, 'service_unavailable']);
    expect(await statuses(get, 3, '/pass')).toEqual([200, 200, 200]);
    // Half of the limit of a new installation.
    expect((await statuses(get, 51, '/local')).filter((status) => status === 200)).toHaveLength(50);
  });

  it.each<Without<SluiceStoreOptions>>([{ class: 'read', subject: 'user' }, { limitName: 'days' }])(
    'counts as the memory store of express-rate-limit does, by %j',
    async (options) => {
      const actions = fc.array(
        fc.record({
          key: fc.constantFrom('a', 'b'),
          act: fc.constantFrom('increment', 'increment', 'decrement', 'resetKey'),
        } as const),
        { maxLength: 20 },
      );
      await fc.assert(
        fc.asyncProperty(actions, async (list) => {
          sluice.place.clock.advance(172_800_000);
          const memory = new MemoryStore();
          memory.init({ windowMs: 86_400_000 } as Options);
          const store = storeOf(options);
          store.init({ windowMs: 86_400_000 });
          for (const { key, act } of list) await Promise.all([memory[act](key), store[act](key)]);
          for (const key of ['a', 'b']) {
            const [hits, expected] = [await store.get(key), await memory.get(key)];
            expect(hits?.totalHits ?? 0).toBe(expected?.totalHits ?? 0);
          }
          memory.shutdown();
        }),
        { numRuns: 25 },
      );
    },
  );
});
