import { expect, test } from 'vitest';
import { lastUses, overrides } from '@/drizzle/schema';
import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const OVERRIDE = {
  type: 'ip',
  identifier: '192.0.2.0/24',
  class: 'read',
  limit: 5,
  window_seconds: 60,
  reason: 'noisy',
};

const put = (more: Record<string, unknown> = {}) =>
  call(here.services, putOverride, { body: { ...OVERRIDE, ...more } });
const list = async (query: Record<string, string> = {}) => (await call(here.services, listOverrides, { query })).json;
const remove = (body: Record<string, unknown>) => call(here.services, removeOverride, { body });
const limitOf = async (ip: string, path = '/api/x') =>
  (await here.services.engine.decide({ method: 'GET', path, address: parseAddress(ip), requestId: null })).tightest
    ?.limit;

test('an override holds from the very next decision and ends with it', async () => {
  expect(await limitOf('192.0.2.9')).toBe(100);
  const answer = await put();
  expect(answer.status).toBe(200);
  expect(answer.json).toEqual({
    ...OVERRIDE,
    id: expect.any(String),
    expires_at: null,
    created_at: '2026-11-20T12:00:00.000Z',
    created_by: 'bootstrap',
    last_used_at: null,
  });
  expect(await limitOf('192.0.2.9')).toBe(5);
  expect(await limitOf('192.0.2.9', '/auth/x')).toBe(10);
  expect(await limitOf('192.0.3.9')).toBe(100);
  const { type, class: endpointClass } = OVERRIDE;
  expect((await remove({ type, identifier: '192.0.2.77/24', class: endpointClass })).status).toBe(204);
  expect(await limitOf('192.0.2.9')).toBe(100);
  expect((await remove({ type, identifier: '192.0.2.77/24', class: endpointClass })).json.error).toBe('not_found');
});

test('the most specific range wins', async () => {
  await put({ identifier: '192.0.2.9', limit: 3 });
  await put({ identifier: '192.0.0.0/16', limit: 7 });
  await put();
  expect([await limitOf('192.0.2.9'), await limitOf('192.0.2.8'), await limitOf('192.0.1.1')]).toEqual([3, 5, 7]);
});

test.each(['2001:db8:1::7', '2001:DB8:1:0::/112', '2001:db8:1:0:8000::/65'])(
  'an override of %s is one of its /64, whose addresses share a counter',
  async (identifier) => {
    expect((await put({ identifier, limit: 3 })).json.identifier).toBe('2001:db8:1::/64');
    const everyone = ['2001:db8:1::7', '2001:db8:1::8', '2001:db8:1:0:ffff::1', '2001:db8:1:1::7'];
    expect(await Promise.all(everyone.map((ip) => limitOf(ip)))).toEqual([3, 3, 3, 100]);
    expect((await put({ identifier: '2001:db8:1::9', limit: 4 })).json.id).toBe((await list())[0].id);
    expect(await list()).toHaveLength(1);
    expect((await remove({ type: 'ip', identifier, class: 'read' })).status).toBe(204);
    expect(await limitOf('2001:db8:1::7')).toBe(100);
  },
);

test('an override of one IPv6 address of an earlier version is removed by that address', async () => {
  await put({ identifier: '2001:db8:1::/64' });
  await here.services.database.drizzle.update(overrides).set({ identifier: '2001:db8:1::7' });
  expect((await remove({ type: 'ip', identifier: '2001:db8:1::8', class: 'read' })).status).toBe(404);
  expect((await remove({ type: 'ip', identifier: '2001:db8:1::7', class: 'read' })).status).toBe(204);
});

test('a user can have one as well, and a limit of 0 refuses everything', async () => {
  await put({ type: 'user_id', identifier: 'alice', limit: 0 });
  const facts = { method: 'GET', path: '/api/x', address: undefined, requestId: null };
  expect((await here.services.engine.decide({ ...facts, userId: 'alice' })).outcome).toBe('refused');
  expect((await here.services.engine.decide({ ...facts, userId: 'bob' })).outcome).toBe('allowed');
});

test('setting it again keeps the id; after its expiry it is a new one', async () => {
  const first = (await put({ expires_at: '2026-11-20T12:00:10Z' })).json;
  await here.services.database.drizzle.insert(lastUses).values({ subject: `override:${first.id}`, at: here.clock.now });
  const second = (await put({ limit: 6, reason: 'still noisy', expires_at: '2026-11-20T12:00:10Z' })).json;
  expect(second).toEqual({ ...first, limit: 6, reason: 'still noisy', last_used_at: '2026-11-20T12:00:00.000Z' });
  expect(await list()).toEqual([second]);
  here.clock.advance(10_000);
  expect(await list()).toEqual([]);
  expect(await list({ status: 'expired' })).toEqual([second]);
  expect(await limitOf('192.0.2.9')).toBe(100);
  expect((await put()).json.id).not.toBe(first.id);
  expect(await limitOf('192.0.2.9')).toBe(5);
});

test('the list is newest first, with filters', async () => {
  await put();
  await put({ class: 'auth' });
  await put({ type: 'user_id', identifier: 'Alice', class: 'auth' });
  const seen = async (query?: Record<string, string>) =>
    (await list(query)).map((override: { type: string; class: string }) => `${override.type} ${override.class}`);
  expect(await seen()).toEqual(['user_id auth', 'ip auth', 'ip read']);
  expect(await seen({ type: 'ip' })).toEqual(['ip auth', 'ip read']);
  expect(await seen({ class: 'read' })).toEqual(['ip read']);
  expect(await seen({ q: 'aLICE' })).toEqual(['user_id auth']);
  expect(await seen({ identifier: 'Alice' })).toEqual(['user_id auth']);
  expect(await seen({ identifier: 'alice' })).toEqual([]);
  expect(await seen({ identifier: '192.0.2.0/24', class: 'auth' })).toEqual(['ip auth']);
  const page = await call(here.services, listOverrides, { query: { limit: '2' } });
  const next = /^<[^?]*\?([^>]*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
  expect(
    (await call(here.services, listOverrides, { query: next ?? '' })).json.map(
      (override: { class: string }) => override.class,
    ),
  ).toEqual(['read']);
});

test.each([
  [{ class: undefined }],
  [{ class: 'all' }],
  [{ identifier: '192.0.2.0/33' }],
  [{ limit: -1 }],
  [{ limit: 1_000_000_001 }],
  [{ window_seconds: 0 }],
  [{ window_seconds: '60' }],
  [{ reason: ' ' }],
  [{ reason: undefined }],
  [{ expires_at: '2026-11-20T12:00:00Z' }],
  [{ cost: 1 }],
])('a wrong one (%j) is refused and changes nothing', async (more) => {
  expect(await put(more)).toMatchObject({ status: 400, json: { error: 'invalid_request' } });
  expect(await list({ status: 'all' })).toEqual([]);
});
