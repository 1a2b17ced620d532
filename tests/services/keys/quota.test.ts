import { asc } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { audit } from '@/drizzle/schema';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { listQuotas } from '@/lib/admin/keys/list-quotas';
import { readOwnUsage } from '@/lib/admin/keys/read-own-usage';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { settleFile } from '@/lib/counters/transfer/file-snapshot';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

interface Key {
  id: string;
  secret: string;
}

let names = 0;
async function newKey(tier = 'free', more: Record<string, unknown> = {}): Promise<Key> {
  names += 1;
  return (await call(here.services, createApiKey, { body: { name: `key ${names}`, tier, ...more } })).json;
}

/** Requests with the key; answers how many were admitted. */
async function use(key: Key, times: number, cost = 1): Promise<number> {
  let admitted = 0;
  for (let time = 0; time < times; time += 1) {
    const decision = await here.services.engine.decide({
      method: 'GET',
      path: '/',
      address: undefined,
      apiKey: key.secret,
      cost,
      requestId: null,
    });
    if (decision.outcome !== 'refused') admitted += 1;
  }
  return admitted;
}

const get = (id: string) => call(here.services, getQuota, { params: { api_key: id } });
const usage = async (id: string) => (await get(id)).json;
const reset = (id: string, options: Record<string, unknown> = {}) =>
  call(here.services, resetQuota, { params: { api_key: id }, ...options });
const tier = (id: string, to: string, headers: Record<string, string> = {}) =>
  call(here.services, changeTier, { params: { api_key: id }, body: { tier: to }, headers });
const records = () => here.services.database.drizzle.select().from(audit).orderBy(asc(audit.seq));

/** So many requests fit into one window; the quota is what the tests are about. */
const WIDE = { clients: { confidential: { limit: 1_000_000 } } };

describe('reading a quota', () => {
  test('shows what a key has used of its month', async () => {
    const key = await newKey('free');
    expect(await use(key, 7)).toBe(7);
    const answer = await get(key.id);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      api_key_id: key.id,
      tier: 'free',
      usage: 7,
      limit: 1000,
      remaining: 993,
      reset_at: '2026-12-01T00:00:00.000Z',
    });
    expect((await get(key.id.toUpperCase())).json).toEqual(answer.json);
  });

  test('starts over with the month', async () => {
    const key = await newKey('free');
    await use(key, 2);
    here.clock.now = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
    expect((await usage(key.id)).usage).toBe(2);
    here.clock.advance(1);
    expect(await usage(key.id)).toMatchObject({ usage: 0, remaining: 1000, reset_at: '2027-01-01T00:00:00.000Z' });
  });

  test('is 404 for a key that is not there, or not any more', async () => {
    const key = await newKey();
    await call(here.services, revokeApiKey, { params: { id: key.id } });
    for (const id of [
      key.id,
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      crypto.randomUUID(),
    ]) {
      expect(await get(id)).toMatchObject({ status: 404, json: { error: 'not_found' } });
      expect((await reset(id)).status).toBe(404);
      expect((await tier(id, 'free')).status).toBe(404);
    }
  });
});

describe('listing quotas', () => {
  test('is empty without keys', async () => {
    expect((await call(here.services, listQuotas)).text).toBe('[]');
  });

  test('shows every registered key, page by page or at once', async () => {
    const keys: Key[] = [];
    for (const each of ['free', 'starter', 'business', 'enterprise']) {
      keys.push(await newKey(each));
      here.clock.advance(1);
    }
    const [first, second, third, fourth] = keys as [Key, Key, Key, Key];
    await use(third, 3);
    await call(here.services, revokeApiKey, { params: { id: second.id } });
    const all = (await call(here.services, listQuotas)).json;
    expect(
      all.map((quota: Record<string, unknown>) => [
        quota.api_key_id,
        quota.tier,
        quota.usage,
        quota.limit,
        quota.remaining,
      ]),
    ).toEqual([
      [first.id, 'free', 0, 1_000, 1_000],
      [third.id, 'business', 3, 100_000, 99_997],
      [fourth.id, 'enterprise', 0, 1_000_000, 1_000_000],
    ]);
    const page = await call(here.services, listQuotas, { query: 'limit=2' });
    const next = /^<[^?]*\?([^>]*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await call(here.services, listQuotas, { query: next });
    expect([...page.json, ...rest.json]).toEqual(all);
    expect(rest.headers.get('link')).toBeNull();
  });
});

describe('resetting a quota', () => {
  test.each([
    ['without a body', {}],
    ['with an empty object', { body: {} }],
    ['with a reason', { body: { reason: 'billing' } }],
    ['with a reason of 500 emoji', { body: { reason: '🦆'.repeat(500) } }],
    ['with line breaks in the reason', { body: { reason: 'one\r\ntwo' } }],
  ])('%s sets the usage to zero', async (_, options: { body?: { reason?: string } }) => {
    const key = await newKey();
    await use(key, 9);
    const answer = await reset(key.id, options);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'reset' });
    expect(await usage(key.id)).toMatchObject({ usage: 0, remaining: 1000 });
    const record = (await records()).at(-1);
    expect(record).toMatchObject({
      action: 'quota.reset',
      target: key.id,
      reason: options.body?.reason ?? null,
      before: '{"usage":9}',
    });
  });

  test('lets the key in again at once, and counts from zero', async () => {
    await call(here.services, patchPolicies, { body: { ...WIDE, tiers: { free: 5 } } });
    const key = await newKey();
    expect(await use(key, 8)).toBe(5);
    await reset(key.id);
    expect(await use(key, 8)).toBe(5);
    expect((await usage(key.id)).usage).toBe(5);
  });

  test('keeps the history', async () => {
    const key = await newKey();
    await use(key, 4);
    await reset(key.id);
    await use(key, 1);
    const { client } = here.services.database;
    await settleFile(client);
    const { rows } = await client.execute('select hits, floor from counter_months');
    expect(rows.map((row) => [row.hits, row.floor])).toEqual([[5, 4]]);
  });
});

describe('changing the tier', () => {
  test('puts the new limit in force with the very next decision and leaves the usage', async () => {
    await call(here.services, patchPolicies, { body: { ...WIDE, tiers: { free: 3, starter: 5 } } });
    const key = await newKey();
    expect(await use(key, 5)).toBe(3);
    const answer = await tier(key.id, 'starter');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'updated', tier: 'starter' });
    expect(await usage(key.id)).toMatchObject({ tier: 'starter', usage: 3, limit: 5, remaining: 2 });
    expect(await use(key, 5)).toBe(2);
  });

  test('below the usage leaves nothing', async () => {
    await call(here.services, patchPolicies, { body: { ...WIDE, tiers: { free: 3, starter: 5 } } });
    const key = await newKey('starter');
    await use(key, 5);
    await tier(key.id, 'free');
    expect(await usage(key.id)).toMatchObject({ usage: 5, limit: 3, remaining: 0 });
    expect(await use(key, 1)).toBe(0);
  });

  test('to the one it has is a success and leaves a record', async () => {
    const key = await newKey('business');
    const before = (await records()).length;
    expect((await tier(key.id, 'business')).json).toEqual({ status: 'updated', tier: 'business' });
    expect((await records()).length).toBe(before + 1);
  });

  test('to free ends the overage', async () => {
    await call(here.services, patchPolicies, { body: { ...WIDE, tiers: { free: 3, starter: 3 } } });
    const key = await newKey('starter', { overage_allowed: true });
    expect(await use(key, 5)).toBe(5);
    expect(await usage(key.id)).toMatchObject({ usage: 5, limit: 3, remaining: 0 });
    await tier(key.id, 'free');
    expect(await use(key, 1)).toBe(0);
    await tier(key.id, 'starter');
    expect(await use(key, 1)).toBe(0);
  });

  test('with If-Match is refused when somebody else changed the key meanwhile', async () => {
    const key = await newKey();
    const seen = (await get(key.id)).headers.get('etag') ?? '';
    expect(seen).toMatch(/^"[^"]+"$/);
    await use(key, 3);
    expect((await get(key.id)).headers.get('etag')).toBe(seen);
    const first = await tier(key.id, 'starter', { 'If-Match': seen });
    expect(first.status).toBe(200);
    const refused = await tier(key.id, 'business', { 'If-Match': seen });
    expect(refused).toMatchObject({ status: 412, json: { error: 'precondition_failed' } });
    expect((await usage(key.id)).tier).toBe('starter');
    const newest = first.headers.get('etag') ?? '';
    expect((await get(key.id)).headers.get('etag')).toBe(newest);
    expect((await tier(key.id, 'business', { 'If-Match': `"other", ${newest}` })).status).toBe(200);
    expect((await tier(key.id, 'free', { 'If-Match': '*' })).status).toBe(200);
    expect((await tier(key.id, 'starter', { 'If-Match': `W/${newest}` })).status).toBe(412);
    expect((await tier(key.id, 'starter', { 'If-Match': 'unquoted' })).status).toBe(400);
    expect((await usage(key.id)).tier).toBe('free');
  });

  test('fifty times at once ends in the state of the last record, from two processes', async () => {
    const other = await here.another();
    const key = await newKey();
    const tiers = ['free', 'starter', 'business', 'enterprise'];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        call(index % 2 === 0 ? here.services : other, changeTier, {
          params: { api_key: key.id },
          body: { tier: tiers[index % 4] },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const changes = (await records()).filter(({ action }) => action === 'quota.tier');
    expect(changes).toHaveLength(50);
    for (const [index, { before }] of changes.entries()) {
      const previous = changes[index - 1];
      if (previous !== undefined) expect(before).toBe(previous.after);
    }
    expect((await usage(key.id)).tier).toBe(JSON.parse(changes.at(-1)?.after ?? '').tier);
  });
});

describe('a key reading its own usage', () => {
  const own = (headers: Record<string, string>) =>
    call(here.services, readOwnUsage, { headers: { Authorization: '', ...headers } });

  test('sees what the administrator sees and consumes nothing', async () => {
    const key = await newKey('starter');
    await use(key, 2);
    for (let time = 0; time < 3; time += 1) {
      const answer = await own({ 'X-API-Key': key.secret });
      expect(answer.status).toBe(200);
      expect(answer.json).toEqual(await usage(key.id));
      expect(answer.json.usage).toBe(2);
    }
  });

  test('needs a key that is known, not revoked and not expired', async () => {
    const key = await newKey('free', { expires_at: '2026-11-20T12:00:10Z' });
    const gone = await newKey('free');
    await call(here.services, revokeApiKey, { params: { id: gone.id } });
    expect((await own({})).status).toBe(401);
    expect((await own({})).headers.get('www-authenticate')).toBeTruthy();
    for (const secret of ['x', gone.secret, key.id, `${key.secret}x`]) {
      expect(await own({ 'X-API-Key': secret })).toMatchObject({ status: 401, json: { error: 'invalid_api_key' } });
    }
    for (const none of ['', ', '])
      expect(await own({ 'X-API-Key': none })).toMatchObject({ status: 401, json: { error: 'unauthorized' } });
    for (const others of [gone.secret, 'x', `${key.secret},x`])
      expect(await own({ 'X-API-Key': `${key.secret}, ${others}` })).toMatchObject({
        status: 400,
        json: { error: 'invalid_request' },
      });
    for (const same of [key.secret, ` ${key.secret} , ${key.secret}`, `,${key.secret}`])
      expect((await own({ 'X-API-Key': same })).status).toBe(200);
    here.clock.advance(10_000);
    expect((await own({ 'X-API-Key': key.secret })).json.error).toBe('invalid_api_key');
  });
});
