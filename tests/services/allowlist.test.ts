import { describe, expect, test } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const add = (body: Record<string, unknown>) => call(here.services, addAllowlistEntry, { body });
const list = (query: Record<string, string> = {}) => call(here.services, listAllowlist, { query });
const remove = (body: Record<string, unknown>) => call(here.services, removeAllowlistEntry, { body });
const identifiers = async (query?: Record<string, string>) =>
  (await list(query)).json.map((entry: { identifier: string }) => entry.identifier);

const decide = (text: string) =>
  here.services.engine.decide({
    method: 'GET',
    path: '/api/data',
    address: parseAddress(text),
    requestId: null,
  });

describe('adding an entry', () => {
  test('answers that the identifier is allowlisted, in its canonical form', async () => {
    const answer = await add({ type: 'ip', identifier: '2001:DB8::0:1', reason: 'office' });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ allowlisted: true, identifier: '2001:db8::1', expires_at: null });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toMatch(/.{8,}/);
  });

  test.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['2001:0db8:0000::/32', '2001:db8::/32'],
    ['2001:db8::1/64', '2001:db8::/64'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ])('%s is stored as %s', async (given, stored) => {
    expect((await add({ type: 'ip', identifier: given, reason: 'x' })).json.identifier).toBe(stored);
    expect(await identifiers()).toEqual([stored]);
  });

  test('shows who added it, when and why', async () => {
    await add({
      type: 'user_id',
      identifier: 'alice',
      reason: '  load test  ',
      expires_at: '2026-11-20T14:00:00+01:00',
    });
    expect((await list()).json).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'user_id',
        identifier: 'alice',
        reason: 'load test',
        expires_at: '2026-11-20T13:00:00.000Z',
        created_at: '2026-11-20T12:00:00.000Z',
        created_by: 'bootstrap',
      },
    ]);
  });

  test('again replaces reason and expiry and keeps the id', async () => {
    await add({ type: 'ip', identifier: '10.0.0.1', reason: 'first', expires_at: '2026-12-01T00:00:00Z' });
    const [before] = (await list()).json;
    here.clock.advance(60_000);
    const answer = await add({ type: 'ip', identifier: '::ffff:10.0.0.1', reason: 'second' });
    expect(answer.json.expires_at).toBeNull();
    expect((await list()).json).toEqual([{ ...before, reason: 'second', expires_at: null }]);
  });

  test('after an entry has expired makes a new one', async () => {
    await add({ type: 'ip', identifier: '10.0.0.1', reason: 'first', expires_at: '2026-11-20T12:00:01Z' });
    const [before] = (await list()).json;
    here.clock.advance(1_000);
    await add({ type: 'ip', identifier: '10.0.0.1', reason: 'second' });
    const [after, ...rest] = (await list()).json;
    expect(rest).toEqual([]);
    expect(after.id).not.toBe(before.id);
    expect(after.created_at).toBe('2026-11-20T12:00:01.000Z');
    expect((await decide('10.0.0.1')).outcome).toBe('bypassed');
  });

  test('keeps a type apart from the other', async () => {
    await add({ type: 'user_id', identifier: '10.0.0.1', reason: 'a user with an odd name' });
    expect((await decide('10.0.0.1')).outcome).toBe('allowed');
    expect((await remove({ type: 'ip', identifier: '10.0.0.1' })).status).toBe(404);
  });

  test('takes an expiry up to ten years ahead', async () => {
    const entry = { type: 'ip', identifier: '10.0.0.1', reason: 'x' };
    expect((await add({ ...entry, expires_at: '2036-11-20T12:00:00Z' })).status).toBe(200);
    expect((await add({ ...entry, expires_at: '2036-12-31T00:00:00Z' })).status).toBe(400);
  });

  test('takes a reason of 500 emoji', async () => {
    expect((await add({ type: 'ip', identifier: '10.0.0.1', reason: '🦆'.repeat(500) })).status).toBe(200);
    expect((await add({ type: 'ip', identifier: '10.0.0.1', reason: '🦆'.repeat(501) })).status).toBe(400);
  });
});

describe('a bypass', () => {
  test('begins and ends with the very next decision, also in another process', async () => {
    const other = await here.another();
    const facts = { method: 'GET', path: '/api/x', address: parseAddress('10.9.8.7'), requestId: null };
    expect((await other.engine.decide(facts)).outcome).toBe('allowed');
    await add({ type: 'ip', identifier: '10.9.0.0/16', reason: 'x' });
    expect((await other.engine.decide(facts)).outcome).toBe('bypassed');
    expect((await remove({ type: 'ip', identifier: '10.9.255.255/16' })).status).toBe(204);
    expect((await other.engine.decide(facts)).outcome).toBe('allowed');
  });

  test('ends in the millisecond of the expiry, and the entry is listed no longer', async () => {
    await add({ type: 'ip', identifier: '10.0.0.1', reason: 'x', expires_at: '2026-11-20T12:00:05.000Z' });
    here.clock.advance(4_999);
    expect(await identifiers()).toEqual(['10.0.0.1']);
    expect((await decide('10.0.0.1')).outcome).toBe('bypassed');
    here.clock.advance(1);
    expect(await identifiers()).toEqual([]);
    expect((await decide('10.0.0.1')).outcome).toBe('allowed');
    expect((await remove({ type: 'ip', identifier: '10.0.0.1' })).status).toBe(404);
    expect(await identifiers({ status: 'expired' })).toEqual(['10.0.0.1']);
  });
});

describe('removing an entry', () => {
  test('finds it by every spelling', async () => {
    await add({ type: 'ip', identifier: '2001:db8::1', reason: 'x' });
    const answer = await remove({ type: 'ip', identifier: '2001:0DB8:0:0::0.0.0.1' });
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(await identifiers({ status: 'all' })).toEqual([]);
  });

  test('answers 404 when there is none, or none any more', async () => {
    await add({ type: 'user_id', identifier: 'Alice', reason: 'x' });
    expect((await remove({ type: 'user_id', identifier: 'alice' })).json.error).toBe('not_found');
    expect((await remove({ type: 'user_id', identifier: 'Alice' })).status).toBe(204);
    expect((await remove({ type: 'user_id', identifier: 'Alice' })).status).toBe(404);
  });
});

describe('listing', () => {
  test('is newest first, also within one millisecond', async () => {
    for (const identifier of ['a', 'b', 'c', 'd']) await add({ type: 'user_id', identifier, reason: 'x' });
    here.clock.advance(1);
    await add({ type: 'user_id', identifier: 'e', reason: 'x' });
    expect(await identifiers()).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  test('answers everything without parameters and pages with them', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `user-${index}`);
    for (const identifier of names) await add({ type: 'user_id', identifier, reason: 'x' });
    expect(await identifiers()).toEqual(names.toReversed());

    const seen: string[] = [];
    let query = 'limit=3';
    for (let page = 0; page < 3; page += 1) {
      const answer = await call(here.services, listAllowlist, { query });
      seen.push(...answer.json.map((entry: { identifier: string }) => entry.identifier));
      const link = answer.headers.get('link');
      if (page === 2) expect(link).toBeNull();
      else query = /^<[^?>]*\?([^>]*)>; rel="next"$/.exec(link ?? '')?.[1] ?? '';
    }
    expect(seen).toEqual(names.toReversed());
  });

  test('filters by type and by a part of the text', async () => {
    await add({ type: 'user_id', identifier: 'Alice', reason: '100% of the load test' });
    await add({ type: 'ip', identifier: '10.0.0.1', reason: 'office' });
    expect(await identifiers({ type: 'ip' })).toEqual(['10.0.0.1']);
    expect(await identifiers({ q: 'alICE' })).toEqual(['Alice']);
    expect(await identifiers({ q: '0% OF' })).toEqual(['Alice']);
    expect(await identifiers({ q: '_' })).toEqual([]);
  });

  test('finds the entry of exactly one identifier', async () => {
    await add({ type: 'ip', identifier: '10.0.0.1', reason: 'office' });
    await add({ type: 'ip', identifier: '10.0.0.11', reason: 'as 10.0.0.1' });
    expect(await identifiers({ type: 'ip', identifier: '10.0.0.1' })).toEqual(['10.0.0.1']);
    expect(await identifiers({ type: 'user_id', identifier: '10.0.0.1' })).toEqual([]);
  });

  test.each([
    'limit=0',
    'limit=1001',
    'limit=1e2',
    'limit=',
    'cursor=zzz',
    'status=gone',
    'page=2',
    'limit=1&limit=1',
    'cursor=',
  ])('refuses ?%s', async (query) => {
    const answer = await call(here.services, listAllowlist, { query });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe('invalid_request');
  });
});
