import { describe, expect, it } from 'vitest';
import { decisions } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { listExceptions } from '@/lib/admin/exceptions/list';
import { addGrant } from '@/lib/admin/grants/add';
import { createApiKey } from '@/lib/admin/keys/create';
import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { patchPolicies } from '@/lib/admin/policies/patch';
import type { Exception } from '@/lib/contract/exceptions';
import { parseAddress } from '@/lib/limiter/address';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const HOUR = 3_600_000;
const later = (time: number) => new Date(here.clock.now + time).toISOString();
const allow = (identifier: string, more: object = {}) =>
  call(here.services, addAllowlistEntry, {
    body: { type: 'ip', identifier, reason: 'Ticket', ...more },
  });
const override = (identifier: string, more: object = {}) =>
  call(here.services, putOverride, {
    body: { type: 'ip', identifier, class: 'read', limit: 500, window_seconds: 60, reason: 'Partner', ...more },
  });
const exceptions = async (query: Record<string, string> = {}): Promise<Exception[]> =>
  (await call(here.services, listExceptions, { query })).json;
const send = (ip: string, apiKeyId?: string) =>
  here.services.engine.decide({
    method: 'GET',
    path: '/api/orders',
    class: 'read',
    address: parseAddress(ip),
    requestId: null,
    ...(apiKeyId === undefined ? {} : { apiKeyId }),
  });
const of = (list: Exception[], identifier: string) => list.find((one) => one.identifier === identifier);

async function sendMany(times: number, ip: string, apiKeyId?: string) {
  for (let sent = 0; sent < times; sent += 1) await send(ip, apiKeyId);
  await here.services.statistics.flush();
}

async function grantedKey(body: object = {}) {
  const { json: key } = await call(here.services, createApiKey, { body: { name: 'Reports', tier: 'free' } });
  await call(here.services, addGrant, {
    body: { api_key: key.id, requests: 500, until: later(48 * HOUR), reason: 'Migration', ...body },
  });
  return key.id as string;
}

describe('the exceptions', () => {
  it('are counted as they are filtered, and continue over the kinds page by page', async () => {
    for (const last of [1, 2, 3]) await allow(`10.0.0.${last}`, { expires_at: later(last * HOUR) });
    for (const last of [4, 5]) await override(`10.0.0.${last}`, { expires_at: later(last * HOUR) });
    await allow('10.9.0.0/16');
    await grantedKey();
    const ask = async (query: Record<string, string>) => {
      const headers = { Prefer: 'count=exact' };
      const answer = await call(here.services, listExceptions, { query: { limit: '2', ...query }, headers });
      return { answer, total: Number(answer.headers.get('x-total-count')) };
    };
    for (const [query, total] of [
      [{}, 7],
      [{ kind: 'override' }, 2],
      [{ note: 'ends_soon' }, 5],
      [{ note: 'wide' }, 1],
      [{ q: '10.0.0.' }, 5],
    ] as const)
      expect((await ask(query)).total, JSON.stringify(query)).toBe(total);

    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { answer } = await ask(cursor === '' ? {} : { cursor });
      found.push(...answer.json.map(({ identifier }: Exception) => identifier));
      const next = /<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1];
      cursor = next === undefined ? null : new URL(next, 'http://sluice.test').searchParams.get('cursor');
    }
    expect(found.slice(0, 5)).toEqual([1, 2, 3, 4, 5].map((last) => `10.0.0.${last}`));
    expect(found).toHaveLength(7);
  });

  it('are of all three kinds, the one that ends first comes first, and those that never end last', async () => {
    await allow('10.0.0.7');
    await override('203.0.113.9', { expires_at: later(72 * HOUR) });
    const key = await grantedKey();
    await allow('10.0.0.8', { expires_at: later(HOUR) });
    const list = await exceptions();
    expect(list.map(({ kind, identifier }) => [kind, identifier])).toEqual([
      ['allowlist', '10.0.0.8'],
      ['grant', key],
      ['override', '203.0.113.9'],
      ['allowlist', '10.0.0.7'],
    ]);
    expect(list[0]?.notes).toEqual(['ends_soon']);
    expect(list[1]).toMatchObject({ type: 'api_key', api_key_name: 'Reports', requests: 500, notes: [] });
    expect(list[2]).toMatchObject({ class: 'read', limit: 500, window_seconds: 60 });
    here.clock.advance(HOUR);
    expect(of(await exceptions(), '10.0.0.8')).toBeUndefined();
  });

  it('are noted as never used only after an hour', async () => {
    await allow('10.0.0.7');
    await override('203.0.113.9');
    await grantedKey();
    const unused = async () => {
      const headers = { Prefer: 'count=exact' };
      const answer = await call(here.services, listExceptions, { query: { note: 'never_used' }, headers });
      expect(answer.headers.get('x-total-count')).toBe(String(answer.json.length));
      return answer.json.length;
    };
    here.clock.advance(HOUR - 1);
    expect(await unused()).toBe(0);
    expect((await exceptions()).flatMap(({ notes }) => notes)).not.toContain('never_used');
    here.clock.advance(1);
    expect(await unused()).toBe(3);
  });

  it('come page by page', async () => {
    for (let last = 1; last <= 5; last += 1) await allow(`10.0.0.${last}`, { expires_at: later(last * HOUR) });
    const first = await call(here.services, listExceptions, { query: { limit: '3' } });
    const cursor = /cursor=([\w-]+)/.exec(first.headers.get('Link') ?? '')?.[1] ?? '';
    const second = await exceptions({ limit: '3', cursor });
    expect([...first.json, ...second].map(({ identifier }) => identifier)).toEqual(
      [1, 2, 3, 4, 5].map((last) => `10.0.0.${last}`),
    );
  });

  it('are filtered by kind, by words and by note', async () => {
    await allow('10.0.0.0/8', { reason: 'The whole office' });
    await allow('2001:db8::/47');
    await allow('192.0.2.0/24');
    await override('203.0.113.9');
    await sendMany(1, '192.0.2.7');
    here.clock.advance(HOUR);
    const named = async (query: Record<string, string>) =>
      (await exceptions(query)).map(({ identifier }) => identifier).sort();
    expect(await named({ note: 'wide' })).toEqual(['10.0.0.0/8', '2001:db8::/47']);
    expect(await named({ note: 'never_used', kind: 'allowlist' })).toEqual(['10.0.0.0/8', '2001:db8::/47']);
    expect(await named({ kind: 'override,grant' })).toEqual(['203.0.113.9']);
    expect(await named({ q: 'OFFICE' })).toEqual(['10.0.0.0/8']);
  });
});

describe('an exception', () => {
  it('on the allowlist has its last use, what the limits would have refused, and the range that served', async () => {
    await call(here.services, patchPolicies, { body: { classes: { read: { ip: { limit: 2 } } } } });
    await allow('192.0.2.0/24');
    await sendMany(5, '192.0.2.5');
    await sendMany(1, '192.0.2.6');
    const entry = of(await exceptions(), '192.0.2.0/24');
    expect(entry).toMatchObject({
      last_used_at: later(0),
      would_be_limited: { at_least: 3, since: later(0) },
      narrower: '192.0.2.4/30',
      notes: ['limited'],
    });
    here.clock.advance(2 * 60_000);
    await sendMany(1, '192.0.2.200');
    expect(of(await exceptions(), '192.0.2.0/24')).toMatchObject({
      last_used_at: later(0),
      would_be_limited: { at_least: 3 },
      narrower: null,
    });
  });

  it('that another one covers says which', async () => {
    await allow('10.0.0.0/8');
    await allow('10.1.0.0/16');
    await allow('10.1.2.3');
    await override('10.1.2.3');
    const list = await exceptions();
    const covering = (kind: string, identifier: string) =>
      list
        .find((one) => one.kind === kind && one.identifier === identifier)
        ?.covered_by.map((entry) => entry.identifier);
    expect(covering('allowlist', '10.1.2.3')).toEqual(['10.1.0.0/16', '10.0.0.0/8']);
    expect(covering('override', '10.1.2.3')).toEqual(['10.1.2.3', '10.1.0.0/16', '10.0.0.0/8']);
    expect(covering('allowlist', '10.0.0.0/8')).toEqual([]);
    expect(of(list, '10.1.0.0/16')?.notes).toContain('covered');
  });

  it('that another of its kind overlaps says which, and is found by that, by what it covers and by its need', async () => {
    await override('10.0.0.0/8');
    await override('10.1.0.0/16');
    await override('10.1.0.0/16', { class: 'write' });
    await override('10.1.2.3');
    await allow('10.1.2.3');
    const key = await grantedKey();
    expect(of(await exceptions(), key)?.overlapped_by).toEqual([]);
    const until = later(24 * 4 * HOUR);
    await call(here.services, addGrant, { body: { api_key: key, requests: 50, until, reason: 'More of it' } });
    const list = await exceptions({ note: 'overlapped' });
    const shown = list.map(({ kind, identifier, class: name, overlapped_by: others }) => [
      ...[kind, identifier, name],
      others.map((other) => other.identifier),
    ]);
    expect(shown.sort()).toEqual([
      ['grant', key, null, [key]],
      ['grant', key, null, [key]],
      ['override', '10.1.0.0/16', 'read', ['10.0.0.0/8']],
      ['override', '10.1.2.3', 'read', ['10.1.0.0/16', '10.0.0.0/8']],
    ]);
    const named = async (query: Record<string, string>) =>
      (await exceptions(query)).map(({ kind, identifier }) => `${kind} ${identifier}`).sort();
    expect(await named({ note: 'covered' })).toEqual(['override 10.1.2.3']);
    here.clock.advance(HOUR);
    expect(await named({ note: 'never_used', kind: 'grant' })).toEqual([`grant ${key}`, `grant ${key}`]);
    expect(await named({ note: 'limited' })).toEqual([]);
    await call(here.services, patchPolicies, { body: { classes: { read: { ip: { limit: 2 } } } } });
    for (const [last, times] of [
      [3, 4],
      [4, 5],
    ] as const) {
      await allow(`198.51.100.${last}`);
      await sendMany(times, `198.51.100.${last}`);
    }
    expect(await named({ note: 'limited' })).toEqual(['allowlist 198.51.100.3', 'allowlist 198.51.100.4']);
    const mostNeeded = (await exceptions({ sort: '-would_be_limited', limit: '2' })).map(
      ({ identifier }) => identifier,
    );
    expect(mostNeeded).toEqual(['198.51.100.4', '198.51.100.3']);
  });

  it('that is a busy allowlist entry hides nothing of the others', async () => {
    await allow('192.0.2.0/24');
    await allow('203.0.113.0/24');
    await sendMany(1, '203.0.113.9');
    const [busy] = await exceptions({ q: '192.0.2' });
    here.clock.advance(60_000);
    const rows = Array.from({ length: 20_500 }, (_, n) => ({
      ...{ at: here.clock.now + n, outcome: 'bypassed' as const, class: 'read' as const, source: 'allowlist' as const },
      ...{ ip: '192.0.2.1', sourceId: busy?.id ?? '' },
    }));
    for (let start = 0; start < rows.length; start += 500)
      await here.services.database.drizzle.insert(decisions).values(rows.slice(start, start + 500));
    here.clock.advance(60_000);
    expect(of(await exceptions(), '203.0.113.0/24')).toMatchObject({
      would_be_limited: { at_least: 0 },
      narrower: '203.0.113.9',
    });
    const [listed] = (await call(here.services, listAllowlist, { query: { identifier: '203.0.113.0/24' } })).json;
    expect(listed.narrower).toBe('203.0.113.9');
  });

  it('that is an override says what the policy would have refused of the last hour', async () => {
    await call(here.services, patchPolicies, { body: { classes: { read: { ip: { limit: 2 } } } } });
    await override('203.0.113.9');
    await sendMany(6, '203.0.113.9');
    here.clock.advance(2 * 60_000);
    await here.services.statistics.flush();
    expect(of(await exceptions(), '203.0.113.9')).toMatchObject({
      would_be_limited: { at_least: 4 },
      notes: ['limited'],
    });
  });

  it('that is an override for a range says the range that served all who have used it, and since when', async () => {
    await override('203.0.113.0/24');
    await override('2001:db8::/32');
    const narrower = async (identifier: string) => {
      const { narrower: range, narrower_since: since } = of(await exceptions(), identifier) ?? {};
      const listed = (await call(here.services, listOverrides, { query: { identifier } })).json[0];
      expect(listed.narrower).toBe(range ?? undefined);
      return [range, since];
    };
    expect(await narrower('203.0.113.0/24')).toEqual([null, null]);
    const today = `${later(0).slice(0, 10)}T00:00:00.000Z`;
    // More often than the log would keep, and bypassed ones do not count.
    await allow('203.0.113.200');
    await sendMany(20, '203.0.113.9');
    await sendMany(1, '203.0.113.200');
    expect(await narrower('203.0.113.0/24')).toEqual(['203.0.113.9', today]);
    await sendMany(1, '203.0.113.12');
    expect(await narrower('203.0.113.0/24')).toEqual(['203.0.113.8/29', today]);
    await sendMany(1, '2001:db8:0:7::1');
    await sendMany(1, '2001:db8:0:7::2');
    expect(await narrower('2001:db8::/32')).toEqual(['2001:db8:0:7::/64', today]);
    here.clock.advance(24 * HOUR);
    await sendMany(1, '203.0.113.250');
    expect(await narrower('203.0.113.0/24')).toEqual([null, null]);
    // What the wide ones decided is forgotten after 30 days.
    here.clock.advance(30 * 24 * HOUR);
    await sendMany(1, '203.0.113.251');
    expect((await narrower('203.0.113.0/24'))[0]).toBe('203.0.113.250/31');
  });

  it('that is a grant says how much of it was needed this month', async () => {
    await call(here.services, patchPolicies, { body: { tiers: { free: 3 } } });
    const key = await grantedKey();
    await sendMany(3, '192.0.2.5', key);
    expect(of(await exceptions(), key)).toMatchObject({ would_be_limited: { at_least: 0 }, notes: [] });
    here.clock.advance(HOUR);
    expect(of(await exceptions(), key)?.notes).toEqual(['never_used']);
    await sendMany(2, '192.0.2.5', key);
    expect(of(await exceptions(), key)).toMatchObject({ would_be_limited: { at_least: 2 }, notes: ['limited'] });
  });
});

it('sort in natural order, IPv6 by number and grants by the name of their key, page by page, and are exported', async () => {
  const shuffled = ['2001:db8::10', '10.0.0.10', '2001:db8::9', '10.0.0.9', '2001:db8::/32', '9.0.0.0/8'];
  for (const identifier of shuffled) await allow(identifier);
  await override('10.0.0.9/32');
  for (const name of ['Team 10', 'team 9']) {
    const { json: key } = await call(here.services, createApiKey, { body: { name, tier: 'free' } });
    const body = { api_key: key.id, requests: 5, until: later(HOUR), reason: 'Campaign' };
    await call(here.services, addGrant, { body });
  }
  const sorted = ['9.0.0.0/8', '10.0.0.9', '10.0.0.9', '10.0.0.10', '2001:db8::/32'];
  const named = ['2001:db8::', '2001:db8::', 'team 9', 'Team 10'];
  for (const [sort, expected] of [
    ['identifier', [...sorted, ...named]],
    ['-identifier', [...sorted, ...named].reverse()],
  ] as const) {
    const names: string[] = [];
    for (let cursor: string | undefined; cursor !== undefined || names.length === 0; ) {
      const query = { sort, limit: '2', ...(cursor ? { cursor } : {}) };
      const page = await call(here.services, listExceptions, { query });
      names.push(...page.json.map(({ api_key_name: key, identifier }: Exception) => key ?? identifier));
      cursor = /cursor=([\w-]+)/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(names.map((name) => name.replace(/::(9|10|\/64)$/, '::'))).toEqual(expected);
  }
  const csv = await call(here.services, listExceptions, { query: { format: 'csv', kind: 'grant' } });
  const lines = csv.text.trimEnd().split('\r\n');
  expect([lines.length, lines[0]]).toEqual([3, expect.stringMatching(/^kind,id,type,identifier,api_key_name/)]);
});
