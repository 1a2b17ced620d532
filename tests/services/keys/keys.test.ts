import { readFileSync } from 'node:fs';
import { asc } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { apiKeys, audit, lastUses } from '@/drizzle/schema';
import { createApiKey } from '@/lib/admin/keys/create';
import { getApiKey } from '@/lib/admin/keys/get';
import { listApiKeys } from '@/lib/admin/keys/list';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { updateApiKey } from '@/lib/admin/keys/update';
import { parseFilePath } from '@/lib/db/database';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';
import { statementsOf } from '@/tests/fixtures/statements';

servicesSuite();

const create = (body: Record<string, unknown>) => call(here.services, createApiKey, { body });
const get = (id: string) => call(here.services, getApiKey, { params: { id } });
const update = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  call(here.services, updateApiKey, { params: { id }, body, headers });
const rotate = (id: string, options: Record<string, unknown> = {}) =>
  call(here.services, rotateApiKey, { params: { id }, ...options });
const revoke = (id: string, headers: Record<string, string> = {}) =>
  call(here.services, revokeApiKey, { params: { id }, headers });
const names = async (query: Record<string, string> | string = {}) =>
  (await call(here.services, listApiKeys, { query })).json.map((key: { name: string }) => key.name);

/** Whether a secret is one of a key, by the rules that requests are decided by. */
async function works(secret: string): Promise<boolean> {
  const decision = await here.services.engine.decide({
    method: 'GET',
    path: '/',
    address: undefined,
    apiKey: secret,
    requestId: null,
  });
  return decision.quota !== null;
}

describe('creating a key', () => {
  test('shows its secret this once', async () => {
    const answer = await create({ name: ' billing ', tier: 'starter' });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: 'billing',
      limits: {},
      tier: 'starter',
      client_type: 'confidential',
      user_id: null,
      prefix: answer.json.secret.slice(0, 12),
      secret: expect.stringMatching(/^slk_[\w-]{43}$/),
      overage_allowed: false,
      month_starts_on: 1,
      expires_at: null,
      created_at: '2026-11-20T12:00:00.000Z',
      created_by: 'bootstrap',
      revoked_at: null,
      previous_secret_until: null,
    });
    expect(answer.headers.get('location')).toBe(`/v1/admin/api-keys/${answer.json.id}`);
    expect(await works(answer.json.secret)).toBe(true);
    const shown = await get(answer.json.id);
    expect(shown.text).not.toContain(answer.json.secret);
    expect(shown.json).toMatchObject({
      usage: 1,
      limit: 10_000,
      remaining: 9_999,
      reset_at: '2026-12-01T00:00:00.000Z',
      last_used_at: null,
    });
  });

  test('keeps nothing of the secret but its hash and prefix, wherever one looks', async () => {
    const { secret } = (
      await call(here.services, createApiKey, {
        body: { name: 'a', tier: 'free' },
        headers: { 'Idempotency-Key': 'once' },
      })
    ).json;
    const rotated = (await call(here.services, createApiKey, { body: { name: 'b', tier: 'free' } })).json;
    const second = (await rotate(rotated.id, { headers: { 'Idempotency-Key': 'again' }, body: { grace_seconds: 60 } }))
      .json.secret;
    const { rows } = await here.services.database.client.execute('pragma database_list');
    const file = String(rows[0]?.file);
    const bytes = [file, `${file}-wal`].map((path) => readFileSync(parseFilePath(`file:${path}`), 'latin1')).join('');
    expect(bytes).toContain(secret.slice(0, 12));
    for (const text of [secret, rotated.secret, second]) expect(bytes).not.toContain(text.slice(13));
  });

  test('refuses a name that is taken, until the other key is revoked', async () => {
    const first = (await create({ name: 'billing', tier: 'free' })).json;
    expect(await create({ name: ' billing', tier: 'free' })).toMatchObject({
      status: 409,
      json: { error: 'conflict' },
    });
    await revoke(first.id);
    expect((await create({ name: 'billing', tier: 'free' })).status).toBe(201);
  });

  test('takes every field, and refuses overage for a free key', async () => {
    const body = {
      name: 'x',
      client_type: 'public',
      user_id: 'alice',
      expires_at: '2027-01-01T00:00:00Z',
      overage_allowed: true,
    };
    const refused = await create({ ...body, tier: 'free' });
    expect(refused).toMatchObject({
      status: 400,
      json: { error: 'invalid_request', details: [{ path: 'overage_allowed' }] },
    });
    expect((await create({ ...body, tier: 'starter' })).json).toMatchObject({
      ...body,
      expires_at: '2027-01-01T00:00:00.000Z',
    });
  });
});

describe('editing a key', () => {
  test('changes what is named and leaves the rest', async () => {
    const { id, secret } = (
      await create({ name: 'a', tier: 'starter', user_id: 'alice', expires_at: '2027-01-01T00:00:00Z' })
    ).json;
    const before = (await get(id)).json;
    const answer = await update(id, { name: 'b', overage_allowed: true, expires_at: null });
    expect(answer.status).toBe(200);
    expect((await get(id)).json).toEqual({ ...before, name: 'b', overage_allowed: true, expires_at: null });
    expect((await update(id, { user_id: null })).json.user_id).toBeNull();
    expect(await works(secret)).toBe(true);
    const records = await here.services.database.drizzle.select().from(audit).orderBy(asc(audit.seq));
    expect(JSON.parse(records[1]?.before ?? '').name).toBe('a');
    expect(JSON.parse(records[1]?.after ?? '').name).toBe('b');
  });

  test('refuses what does not fit, and then changes nothing', async () => {
    const { id } = (await create({ name: 'a', tier: 'free' })).json;
    await create({ name: 'taken', tier: 'free' });
    const before = (await get(id)).json;
    const refusals: [unknown, number][] = [
      [{ name: 'taken' }, 409],
      [{ overage_allowed: true }, 400],
      [{ tier: 'starter' }, 400],
      [{ id: 'x' }, 400],
      [{ name: '' }, 400],
      [{ name: 'a\nb' }, 400],
      [{ user_id: '' }, 400],
      [{ expires_at: '2026-11-20T12:00:00Z' }, 400],
      [{ client_type: null }, 400],
      [[], 400],
    ];
    for (const [body, status] of refusals) expect([body, (await update(id, body)).status]).toEqual([body, status]);
    expect((await get(id)).json).toEqual(before);
    expect((await update(id, { name: 'a' })).status).toBe(200);
  });

  test('with If-Match is refused when the key was changed meanwhile', async () => {
    const { id } = (await create({ name: 'a', tier: 'free' })).json;
    const seen = (await get(id)).headers.get('etag') ?? '';
    expect((await update(id, { name: 'b' }, { 'If-Match': seen })).status).toBe(200);
    expect((await update(id, { name: 'c' }, { 'If-Match': seen })).json.error).toBe('precondition_failed');
    expect((await get(id)).json.name).toBe('b');
  });
});

describe('rotating a secret', () => {
  test('ends the old one at once', async () => {
    const { id, secret } = (await create({ name: 'a', tier: 'free' })).json;
    const answer = await rotate(id);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ id, secret: expect.stringMatching(/^slk_/), previous_secret_until: null });
    expect(await works(secret)).toBe(false);
    expect(await works(answer.json.secret)).toBe(true);
    expect((await get(id)).json.prefix).toBe(answer.json.secret.slice(0, 12));
  });

  test('lets the old one work through the grace, to the second', async () => {
    const { id, secret } = (await create({ name: 'a', tier: 'free' })).json;
    const next = (await rotate(id, { body: { grace_seconds: 60 } })).json;
    expect(next.previous_secret_until).toBe('2026-11-20T12:01:00.000Z');
    here.clock.advance(59_999);
    expect([await works(secret), await works(next.secret)]).toEqual([true, true]);
    here.clock.advance(1);
    expect([await works(secret), await works(next.secret)]).toEqual([false, true]);
  });

  test('twice leaves a grace to the newer of the old ones only', async () => {
    const { id, secret } = (await create({ name: 'a', tier: 'free' })).json;
    const second = (await rotate(id, { body: { grace_seconds: 600 } })).json.secret;
    const third = (await rotate(id, { body: { grace_seconds: 600 } })).json.secret;
    expect([await works(secret), await works(second), await works(third)]).toEqual([false, true, true]);
  });

  test.each([-1, 0.5, 2_592_001, '60', null])('refuses a grace of %s', async (grace) => {
    const { id, secret } = (await create({ name: 'a', tier: 'free' })).json;
    expect((await rotate(id, { body: { grace_seconds: grace } })).json.error).toBe('invalid_request');
    expect(await works(secret)).toBe(true);
  });
});

describe('revoking a key', () => {
  test('with If-Match is refused when the key was changed meanwhile', async () => {
    const { id } = (await create({ name: 'a', tier: 'free' })).json;
    const seen = (await get(id)).headers.get('etag') ?? '';
    const newest = (await update(id, { name: 'b' })).headers.get('etag') ?? '';
    expect(await revoke(id, { 'If-Match': seen })).toMatchObject({
      status: 412,
      json: { error: 'precondition_failed' },
    });
    expect((await get(id)).json.revoked_at).toBeNull();
    expect((await revoke(id, { 'If-Match': newest })).status).toBe(204);
  });

  test('ends it with the very next decision, an old secret in its grace as well', async () => {
    const { id, secret } = (await create({ name: 'a', tier: 'free' })).json;
    const next = (await rotate(id, { body: { grace_seconds: 600 } })).json.secret;
    expect((await revoke(id)).status).toBe(204);
    expect([await works(secret), await works(next)]).toEqual([false, false]);
    expect((await get(id)).json).toMatchObject({ name: 'a', revoked_at: '2026-11-20T12:00:00.000Z' });
    for (const again of [await revoke(id), await rotate(id), await update(id, { name: 'b' })])
      expect(again).toMatchObject({
        status: 404,
        json: { error: 'not_found', error_description: 'This API key was revoked at 2026-11-20T12:00:00.000Z.' },
      });
    const unknown = await rotate('8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69');
    expect([unknown.status, unknown.json.error_description]).toEqual([404, 'There is no such API key.']);
  });
});

describe('listing keys', () => {
  test('is newest first, and sorts, searches and filters', async () => {
    for (const [name, tier, user] of [
      ['beta', 'free', 'Alice'],
      ['alpha', 'starter', 'bob'],
      ['gamma', 'free', null],
    ] as const) {
      await create({ name, tier, user_id: user });
      here.clock.advance(1000);
    }
    const gamma = (await call(here.services, listApiKeys, { query: { q: 'gamma' } })).json[0];
    await here.services.database.drizzle
      .insert(lastUses)
      .values({ subject: `api_key:${gamma.id}`, at: here.clock.now });
    expect(await names()).toEqual(['gamma', 'alpha', 'beta']);
    expect(await names({ sort: 'name' })).toEqual(['alpha', 'beta', 'gamma']);
    expect(await names({ sort: '-name' })).toEqual(['gamma', 'beta', 'alpha']);
    expect(await names({ sort: '-last_used_at', limit: '1' })).toEqual(['gamma']);
    expect(await names({ q: 'ALICE' })).toEqual(['beta']);
    expect(await names({ q: gamma.prefix })).toEqual(['gamma']);
    expect(await names({ q: gamma.id.toUpperCase() })).toEqual(['gamma']);
    expect(await names({ q: '%' })).toEqual([]);
    expect(await names({ tier: 'free' })).toEqual(['gamma', 'beta']);
    expect((await get(gamma.id)).json.last_used_at).toBe('2026-11-20T12:00:03.000Z');
  });

  test('knows keys by what has become of them', async () => {
    await create({ name: 'short', tier: 'free', expires_at: '2026-11-20T12:00:01Z' });
    await revoke((await create({ name: 'gone', tier: 'free' })).json.id);
    await create({ name: 'good', tier: 'free' });
    here.clock.advance(1000);
    expect((await names({ sort: 'name' })).join()).toBe('good,short');
    expect(await names({ status: 'active' })).toEqual(['good']);
    expect(await names({ status: 'expired' })).toEqual(['short']);
    expect(await names({ status: 'revoked' })).toEqual(['gone']);
    expect((await names({ status: 'all', sort: 'name' })).join()).toBe('gone,good,short');
  });

  test.each(['-created_at', 'created_at', 'name', '-name', '-last_used_at', 'last_used_at'])(
    'pages through all keys by %s',
    async (sort) => {
      for (let index = 0; index < 7; index += 1) await create({ name: `key ${index % 3}${index}`, tier: 'free' });
      const seen: string[] = [];
      let query = `limit=2&sort=${sort}`;
      for (let page = 0; page < 4; page += 1) {
        const answer = await call(here.services, listApiKeys, { query });
        seen.push(...answer.json.map((key: { name: string }) => key.name));
        query = /^<[^?]*\?([^>]*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
        expect(query === '').toBe(page === 3);
      }
      expect(new Set(seen).size).toBe(7);
      expect(seen).toEqual(await names({ sort }));
    },
  );

  test('refuses a cursor of another sort', async () => {
    for (const name of ['a', 'b', 'c']) await create({ name, tier: 'free' });
    const link = (await call(here.services, listApiKeys, { query: 'limit=1&sort=name' })).headers.get('link') ?? '';
    const cursor = /cursor=([\w-]+)/.exec(link)?.[1] ?? '';
    expect((await call(here.services, listApiKeys, { query: `limit=1&sort=-name&cursor=${cursor}` })).json.error).toBe(
      'invalid_request',
    );
  });

  test('fetches no more than a page of 100,000 keys', async () => {
    await here.services.database.client.execute(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
      insert into api_keys (id, name, tier, client_type, prefix, secret_hash, created_at, created_by, revision)
      select printf('00000000-0000-4000-8000-%012d', i), 'key ' || i, 'free', 'public', 'slk_', 'h' || i, i, 'x', 0 from n`);
    const statements = await statementsOf(here.services.database, async () => {
      expect(await names({ q: 'KEY 99', sort: 'created_at', limit: '2' })).toEqual(['key 99', 'key 990']);
      expect(await names({ sort: '-last_used_at', limit: '1' })).toEqual(['key 100000']);
    });
    expect(Math.max(...statements.map(({ rows }) => rows))).toBe(3);
    // And how many statements there are has nothing to do with how many keys there are.
    expect(statements.length).toBeLessThanOrEqual(14);
    const count = await here.services.database.drizzle.$count(apiKeys);
    expect(count).toBe(100_000);
  });
});
