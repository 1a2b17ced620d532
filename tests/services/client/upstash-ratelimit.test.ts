import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Ratelimit as Class, RatelimitConfig } from '@/client/adapters/upstash-ratelimit';
import { createLimit } from '@/lib/admin/named-limits/create';
import { call } from '@/tests/fixtures/call';
import { importPacked, type ServedSluice, serveSluice } from '@/tests/fixtures/packed-client';

const POLICIES = {
  classes: {
    write: { user: { limit: 10, window_seconds: 10 } },
    read: { user: { limit: 60, window_seconds: 10 } },
    auth: { user: { limit: 2, window_seconds: 60 } },
  },
};

let Ratelimit: typeof Class;
let sluice: ServedSluice;
beforeAll(async () => {
  ({ Ratelimit } = await importPacked<{ Ratelimit: typeof Class }>('upstash-ratelimit'));
  sluice = await serveSluice(POLICIES);
  for (const [name, limit] of [
    ['write', 10],
    ['read', 60],
  ] as const) {
    const body = { name, windows: [{ limit, seconds: 10 }] };
    expect((await call(sluice.place.services, createLimit, { body })).status).toBe(201);
  }
});
afterAll(() => sluice[Symbol.asyncDispose]());
let warnings: unknown[] = [];
beforeEach(() => {
  // Every window is empty again.
  sluice.place.clock.advance(3_600_000);
  warnings = [];
  vi.spyOn(console, 'warn').mockImplementation((...words) => void warnings.push(words.join(' ')));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const create = (config: Partial<RatelimitConfig> = {}) =>
  new Ratelimit({
    sluice: sluice.connect(),
    clock: sluice.clock,
    limiter: Ratelimit.slidingWindow(10, '10 s'),
    ...config,
  });

describe.each(['class', 'named limit'] as const)('the examples of @upstash/ratelimit, by a %s,', (kind) => {
  const createBy = (name: 'read' | 'write', config: Partial<RatelimitConfig> = {}) =>
    create({ ...config, ...(kind === 'class' ? { class: name } : { limitName: name }) });

  it('allow 10 requests in 10 seconds', async () => {
    const ratelimit = createBy('write', { redis: {}, analytics: true, prefix: '@upstash/ratelimit' });
    const identifier = 'api';
    const first = await ratelimit.limit(identifier);
    const reset = Math.ceil((sluice.clock.now() + 10_000 * (61 / 60)) / 1_000) * 1_000;
    expect(first).toEqual({ success: true, limit: 10, remaining: 9, reset, pending: expect.any(Promise) });
    await first.pending;
    for (let i = 0; i < 9; i += 1) expect((await ratelimit.limit(identifier)).success).toBe(true);
    const refused = await ratelimit.limit(identifier);
    expect(refused).toMatchObject({ success: false, limit: 10, remaining: 0 });
    // A caller that waits until `reset` is admitted.
    sluice.place.clock.advance(refused.reset - sluice.clock.now());
    expect((await ratelimit.limit(identifier)).success).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('block until the request is ready', async () => {
    const ratelimit = createBy('write');
    for (let i = 0; i < 10; i += 1) await ratelimit.limit('id');
    const begun = sluice.clock.now();
    expect((await ratelimit.blockUntilReady('id', 5_000)).success).toBe(false);
    expect(sluice.clock.now() - begun).toBe(5_000);
    expect((await ratelimit.blockUntilReady('id', 30_000)).success).toBe(true);
    expect(sluice.clock.now() - begun).toBeLessThanOrEqual(12_000);
    await expect(ratelimit.blockUntilReady('id', 0)).rejects.toThrow('timeout must be positive');
  });

  it('apply different limits to different users', async () => {
    const limits = {
      free: createBy('write', { prefix: 'ratelimit:free' }),
      paid: createBy('read', { prefix: 'ratelimit:paid', limiter: Ratelimit.slidingWindow(60, '10 s') }),
      other: createBy('write', { prefix: 'ratelimit:other' }),
    };
    const answers = await Promise.all(Array.from({ length: 61 }, () => limits.paid.limit('alice')));
    expect(answers.filter(({ success }) => success)).toHaveLength(60);
    expect(await limits.free.limit('alice')).toMatchObject({ success: true, limit: 10, remaining: 9 });
    expect(await limits.other.limit('alice')).toMatchObject({ success: true, limit: 10, remaining: 9 });
    expect(warnings).toEqual([]);
  });

  it('consume a rate, read what remains and reset it', async () => {
    const { limit, getRemaining, resetUsedTokens } = createBy('write');
    expect(await limit('alice', { rate: 4, ip: '203.0.113.7', userAgent: 'x', country: 'SE', geo: {} })).toMatchObject({
      success: true,
      remaining: 6,
    });
    expect(await getRemaining('alice')).toMatchObject({ remaining: 6, limit: 10 });
    expect(await limit('alice', { rate: 7 })).toMatchObject({ success: false });
    // All or nothing: the refusal consumed nothing.
    expect(await getRemaining('alice')).toMatchObject({ remaining: 6 });
    await resetUsedTokens('alice');
    expect(await getRemaining('alice')).toMatchObject({ remaining: 10 });
    for (const rate of [0, -1, 1.5, Number.NaN]) await expect(limit('alice', { rate })).rejects.toThrow('`rate`');
    // It could never be admitted, so there is nothing to wait for.
    expect(await limit('alice', { rate: 11 })).toMatchObject({ success: false });
  });
});

describe('a limiter', () => {
  it.each([
    ['slidingWindow(10, "10 s")', () => Ratelimit.slidingWindow(10, '10 s'), null],
    ['fixedWindow(10, "10s")', () => Ratelimit.fixedWindow(10, '10s'), null],
    ['cachedFixedWindow(10, "10000 ms")', () => Ratelimit.cachedFixedWindow(10, '10000 ms'), null],
    ['tokenBucket(5, "5 s", 10)', () => Ratelimit.tokenBucket(5, '5 s', 10), null],
    ['another limit', () => Ratelimit.slidingWindow(20, '10 s'), 'states 20 in 10 s, but the policy of Sluice is 10.'],
    [
      'another window',
      () => Ratelimit.slidingWindow(10, '30 m'),
      'states 10 in 1800 s, but the policy of Sluice is 10 in about 11 s.',
    ],
  ])('that states %s is compared with the policy', async (_, limiter, warning) => {
    const ratelimit = create({ limiter: limiter() });
    for (let i = 0; i < 10; i += 1) expect(await ratelimit.limit('alice')).toMatchObject({ success: true, limit: 10 });
    expect((await ratelimit.limit('alice')).success).toBe(false);
    expect(warnings).toEqual(warning === null ? [] : [expect.stringContaining(warning)]);
  });

  it.each([7, 7n])('counts the number %s like its text', async (number) => {
    const ratelimit = create();
    expect(await ratelimit.limit(number as unknown as string)).toMatchObject({ success: true, remaining: 9 });
    expect(await ratelimit.limit('7')).toMatchObject({ success: true, remaining: 8 });
  });

  it.each(['10', '10 x', '0 s', '-1 s', ''])('refuses the window %j', (window) => {
    expect(() => Ratelimit.slidingWindow(10, window as '10 s')).toThrow('Unable to parse window size');
  });

  it('says that the server did not decide', async () => {
    const down = sluice.connect({ url: 'http://127.0.0.1:9', timeout: 1_000 });
    expect(await create({ sluice: down }).limit('alice')).toMatchObject({ success: true, reason: 'timeout' });
    const closed = create({ sluice: down, class: 'auth', limiter: Ratelimit.slidingWindow(2, '60 s') });
    expect(await closed.limit('alice')).toMatchObject({ success: false, remaining: 0, limit: 2, reason: 'timeout' });
    const open = create({
      sluice: sluice.connect({ url: 'http://127.0.0.1:9', timeout: 1_000, onUnreachable: 'allow' }),
    });
    expect(await open.limit('alice')).toMatchObject({ success: true, remaining: 10, limit: 10, reason: 'timeout' });
    expect(warnings).toEqual([]);
  });

  it('says that the client repeats a refusal', async () => {
    // The client's own clock is a week ahead of the server's, and counts the seconds of `retry_after` alone.
    const remembering = create({ sluice: sluice.connect({ rememberRefusals: true }) });
    for (let i = 0; i < 11; i += 1) await remembering.limit('alice');
    expect(await remembering.limit('alice')).toMatchObject({ success: false, reason: 'cacheBlock' });
  });

  it.each(['', 'x'.repeat(300), 'a\u0000b'])(
    'refuses an identifier that Sluice cannot count (%#)',
    async (identifier) => {
      expect(await create().limit(identifier)).toMatchObject({ success: false, remaining: 0 });
    },
  );

  it('is decided by a class or a named limit, not by both', () => {
    expect(() => create({ class: 'read', limitName: 'read' })).toThrow('Set `class` or `limitName`, not both.');
  });

  it('reads the tightest window of a named limit, and resets all of them', async () => {
    const windows = [
      { limit: 10, seconds: 10 },
      { limit: 15, seconds: 3_600 },
    ];
    const body = { name: 'two-windows', windows };
    expect((await call(sluice.place.services, createLimit, { body })).status).toBe(201);
    const ratelimit = create({ limitName: 'two-windows' });
    for (let i = 0; i < 9; i += 1) await ratelimit.limit('alice');
    expect(await ratelimit.getRemaining('alice')).toMatchObject({ remaining: 1, limit: 10 });
    sluice.place.clock.advance(11_000);
    expect(await ratelimit.getRemaining('alice')).toMatchObject({ remaining: 6, limit: 15 });
    expect(await ratelimit.limit('alice', { rate: 7 })).toMatchObject({ success: false, limit: 15 });
    await ratelimit.resetUsedTokens('alice');
    expect(await ratelimit.getRemaining('alice')).toMatchObject({ remaining: 10, limit: 10 });
  });

  it('needs nothing until its first request, and then the environment or a client', async () => {
    const ratelimit = new Ratelimit({ limiter: Ratelimit.slidingWindow(10, '10 s') });
    vi.stubEnv('SLUICE_URL', undefined);
    await expect(ratelimit.limit('alice')).rejects.toThrow('SLUICE_URL');
    vi.stubEnv('SLUICE_URL', 'http://127.0.0.1:9');
    vi.stubEnv('SLUICE_TOKEN', 'token');
    expect(await ratelimit.limit('alice')).toMatchObject({ success: true, reason: 'timeout' });
  });
});
