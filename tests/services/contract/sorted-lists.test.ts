import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { buildIdentifierOrder, IDENTIFIER_ORDER } from '@/drizzle/identifier-order';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { createApiKey } from '@/lib/admin/keys/create';
import { listApiKeys } from '@/lib/admin/keys/list';
import { listQuotas } from '@/lib/admin/keys/list-quotas';
import { inviteMember } from '@/lib/admin/members/invite';
import { listMembers } from '@/lib/admin/members/list';
import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { createToken } from '@/lib/admin/tokens/create';
import { listTokens } from '@/lib/admin/tokens/list';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { Operation } from '@/lib/operation/operation';
import { call } from '@/tests/fixtures/call';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const orderOf = (row: Row) => buildIdentifierOrder({ type: String(row.type), identifier: String(row.identifier) });
const REQUEST = { method: 'GET', path: '/', class: 'read', address: null, requestId: null } as const;

type Row = Record<string, string | number | null>;

/** A list to its end, page by page of two, in the order that is asked for. */
async function paged(operation: Operation, query: Record<string, string>): Promise<Row[]> {
  const rows: Row[] = [];
  let next: string | undefined = new URLSearchParams({ ...query, limit: '2' }).toString();
  while (next !== undefined) {
    const answer = await call(here.services, operation, { query: next });
    expect(answer.status).toBe(200);
    rows.push(...answer.json);
    next = /<[^?]*\?([^>]*)>/.exec(answer.headers.get('Link') ?? '')?.[1];
  }
  return rows;
}

async function seed() {
  const reasons = ['=cmd()', 'office', 'partner', 'office', 'monitor'];
  for (const [index, reason] of reasons.entries()) {
    here.clock.advance(1_000);
    const identifier = `10.0.0.${(index * 37) % 251}`;
    const ends = index % 2 === 0 ? null : formatTimestamp(TEST_START + (10 - index) * 3_600_000);
    await call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier, reason, expires_at: ends } });
    const own = {
      type: 'ip',
      identifier,
      class: 'read',
      limit: 10 * (index + 1),
      window_seconds: index === 4 ? 3_600 : 60,
    };
    await call(here.services, putOverride, { body: { ...own, reason, expires_at: ends } });
    const tier = (['enterprise', 'free', 'starter', 'business', 'free'] as const)[index];
    await call(here.services, createApiKey, { body: { name: `${reason} ${index}`, tier } });
  }
}

describe('lists are sorted and paged by the server', () => {
  const TEXT = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  test.each([
    ['identifier', listAllowlist, orderOf],
    ['reason', listAllowlist, (row: Row) => String(row.reason)],
    ['expires_at', listAllowlist, (row: Row) => String(row.expires_at ?? '9')],
    ['created_at', listAllowlist, (row: Row) => String(row.created_at)],
    ['limit', listOverrides, (row: Row) => (Number(row.limit) / Number(row.window_seconds)).toFixed(9)],
    ['last_used_at', listOverrides, (row: Row) => String(row.last_used_at ?? '')],
    ['identifier', listOverrides, orderOf],
    ['name', listApiKeys, (row: Row) => String(row.name)],
    [
      'tier',
      listApiKeys,
      (row: Row) => String(['free', 'starter', 'business', 'enterprise'].indexOf(String(row.tier))),
    ],
    ['last_used_at', listApiKeys, (row: Row) => String(row.last_used_at ?? '')],
  ] as const)('%# by %s, both ways, each row once, and the same as all at once', async (sort, operation, valueIn) => {
    await seed();
    const up = await paged(operation, { sort });
    expect(new Set(up.map((row) => row.id)).size).toBe(5);
    const values = up.map(valueIn);
    expect(values).toEqual([...values].sort(TEXT));
    const down = await paged(operation, { sort: `-${sort}` });
    expect(down.map((row) => row.id)).toEqual(up.map((row) => row.id).reverse());
    const whole = await call(here.services, operation, { query: { sort, limit: '100' } });
    expect(whole.json).toEqual(up);
  });

  /** In natural order. */
  const IDENTIFIERS = [
    ['ip', '2.0.0.0/8'],
    ['ip', '2.0.0.0'],
    ['ip', '10.0.0.2'],
    ['ip', '10.0.0.10'],
    ['ip', '10.0.0.100/31'],
    ['ip', '100.0.0.1'],
    ['ip', '64:ff9b:1::/48'],
    ['ip', '2001:db8::/32'],
    ['ip', '2001:db8::/64'],
    ['ip', '2001:db8:0:9::/64'],
    ['ip', '2001:db8:0:10::/64'],
    ['ip', '2001:db8:1:2:3:4:5:6'],
    ['ip', '2001:db8:a::1'],
    ['ip', '2001:db8:ff::9'],
    ['ip', 'fe80::/10'],
    ['user_id', 'User-2'],
    ['user_id', 'user-10'],
    ['user_id', 'user-010x'],
    ['user_id', 'Ä7'],
  ] as const;

  /** Overrides are of whole /64 ranges. */
  const isOneIpv6 = (identifier: string) => identifier.includes(':') && !identifier.includes('/');

  test.each([
    ['allowlist', listAllowlist, addAllowlistEntry, {}],
    ['overrides', listOverrides, putOverride, { class: 'read', limit: 1, window_seconds: 60 }],
  ] as const)('%s by identifier in natural order, by an index', async (table, operation, add, more) => {
    const identifiers = IDENTIFIERS.filter(([, identifier]) => table === 'allowlist' || !isOneIpv6(identifier));
    for (const [type, identifier] of identifiers.toReversed()) {
      const { status, text } = await call(here.services, add, { body: { type, identifier, reason: 'x', ...more } });
      expect(status, text).toBe(200);
    }
    const rows = await paged(operation, { sort: 'identifier' });
    expect(rows.map(({ type, identifier }) => [type, identifier])).toEqual(identifiers);
    const { drizzle } = here.services.database;
    const stored = await drizzle.all<{ key: string; type: string; identifier: string }>(
      sql.raw(`select ${IDENTIFIER_ORDER} as key, type, identifier from ${table}`),
    );
    for (const { key, ...row } of stored) expect(key).toBe(buildIdentifierOrder(row));
    const plan = await drizzle.all<{ detail: string }>(
      sql.raw(
        `explain query plan select * from ${table} where removed_at is null order by ${IDENTIFIER_ORDER}, id limit 9`,
      ),
    );
    expect(plan.map(({ detail }) => detail)).toEqual([`SCAN ${table} USING INDEX ${table}_natural`]);
  });

  /** Keys `0` to `4`, of which the n-th has used n tenths of its 10 requests a month, and `free` nothing. */
  async function usedKeys() {
    await call(here.services, patchPolicies, { body: { tiers: { starter: 10 } } });
    for (let used = 0; used <= 10; used += 2) {
      const { json } = await call(here.services, createApiKey, { body: { name: `used ${used}`, tier: 'starter' } });
      for (let n = 0; n < used; n += 1) await here.services.engine.decide({ ...REQUEST, apiKey: json.secret });
    }
    await call(here.services, createApiKey, { body: { name: 'free', tier: 'free' } });
  }
  const names = (rows: Row[]) => rows.map((row) => row.name);

  test('keys by what they have used, which the database does not know', async () => {
    await usedKeys();
    const ordered = ['used 10', 'used 8', 'used 6', 'used 4', 'used 2'];
    expect(names(await paged(listApiKeys, { sort: '-usage' })).slice(0, 5)).toEqual(ordered);
    expect(
      names(await paged(listApiKeys, { sort: 'usage' }))
        .reverse()
        .slice(0, 5),
    ).toEqual(ordered);
    expect(names(await paged(listApiKeys, { sort: 'remaining' })).slice(0, 5)).toEqual(ordered);
    expect(await paged(listApiKeys, { sort: 'usage' })).toHaveLength(7);
  });

  test('keys by their state, page by page and as a download', async () => {
    await usedKeys();
    const query = { sort: 'name', state: 'near' };
    expect(names(await paged(listApiKeys, query))).toEqual(['used 8']);
    expect(names(await paged(listApiKeys, { sort: 'name', state: 'near,used_up' }))).toEqual(['used 8', 'used 10']);
    expect(names(await paged(listApiKeys, { sort: '-usage', state: 'active', tier: 'starter' }))).toEqual([
      'used 6',
      'used 4',
      'used 2',
      'used 0',
    ]);
    const { text } = await call(here.services, listApiKeys, { query: { state: 'used_up', format: 'jsonl' } });
    expect(JSON.parse(text)).toMatchObject({ name: 'used 10' });
    expect((await call(here.services, listApiKeys, { query: { state: 'gone' } })).status).toBe(400);
  });

  test('by one or more values of a filter', async () => {
    await seed();
    expect(await paged(listApiKeys, { tier: 'free,business' })).toHaveLength(3);
    expect(await paged(listOverrides, { type: 'ip,user_id', class: 'read,write' })).toHaveLength(5);
    expect((await call(here.services, listOverrides, { query: { class: 'read,' } })).status).toBe(400);
  });

  test('tokens and members as well', async () => {
    for (const [name, role] of [
      ['deploy', 'operator'],
      ['audit', 'viewer'],
      ['gateway', 'gateway'],
    ] as const) {
      await call(here.services, createToken, { body: { name, role } });
      await call(here.services, inviteMember, { body: { email: `${name}@example.com`, role: 'viewer', name } });
    }
    expect(names(await paged(listTokens, { sort: 'name' }))).toEqual(['audit', 'deploy', 'gateway']);
    expect(names(await paged(listTokens, { sort: '-role', role: 'viewer,operator' }))).toEqual(['audit', 'deploy']);
    expect(names(await paged(listTokens, { q: 'EPL' }))).toEqual(['deploy']);
    expect(names(await paged(listMembers, { sort: '-email' }))).toEqual(['gateway', 'deploy', 'audit']);
    expect(names(await paged(listMembers, { q: 'gate', role: 'viewer' }))).toEqual(['gateway']);
  });

  test('a cursor of another order is refused', async () => {
    await seed();
    const answer = await call(here.services, listAllowlist, { query: { sort: 'reason', limit: '2' } });
    const cursor = /cursor=([\w-]+)/.exec(answer.headers.get('Link') ?? '')?.[1] ?? '';
    expect(
      (await call(here.services, listAllowlist, { query: { sort: 'identifier', limit: '2', cursor } })).status,
    ).toBe(400);
    expect((await call(here.services, listAllowlist, { query: { sort: 'color' } })).status).toBe(400);
  });

  test('entries that end by themselves, and those that do not', async () => {
    await seed();
    expect(await paged(listAllowlist, { expiry: 'set' })).toHaveLength(2);
    expect(await paged(listAllowlist, { expiry: 'never' })).toHaveLength(3);
  });
});

describe('exports are written by the server, all rows that match', () => {
  test.each([
    [listAllowlist, 'allowlist', 'id,type,identifier,reason,expires_at,created_at,created_by'],
    [
      listOverrides,
      'overrides',
      'id,type,identifier,class,limit,window_seconds,reason,expires_at,last_used_at,created_at,created_by,limit_name',
    ],
    [
      listApiKeys,
      'api-keys',
      'id,name,prefix,tier,client_type,user_id,usage,limit,remaining,reset_at,runs_out_at,overage_allowed,expires_at,last_used_at,created_at,created_by,revoked_at,month_starts_on',
    ],
  ] as const)('%# as CSV that no spreadsheet runs, and as JSON lines', async (operation, name, heading) => {
    await seed();
    const csv = await call(here.services, operation, { query: { format: 'csv' } });
    expect(csv.headers.get('Content-Type')).toContain('text/csv');
    expect(csv.headers.get('Content-Disposition')).toBe(`attachment; filename="${name}.csv"`);
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines[0]).toBe(heading);
    expect(lines).toHaveLength(6);
    expect(lines[5]).toContain(",'=cmd()");
    const jsonl = await call(here.services, operation, { query: { format: 'jsonl' } });
    const rows = jsonl.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toEqual((await call(here.services, operation, { query: { limit: '100' } })).json);
    const some = await call(here.services, operation, { query: { format: 'jsonl', q: 'partner' } });
    expect(some.text.trimEnd().split('\n')).toHaveLength(1);
  });

  test.each([listTokens, listMembers, listQuotas] as const)(
    '%# answers JSON where a list is no download',
    async (operation) => {
      const answer = await call(here.services, operation, { headers: { Accept: 'text/csv, application/jsonl' } });
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8']);
    },
  );

  test.each([500, 520])('hold more rows than one page or one chunk: %i', async (many) => {
    const own = { type: 'user_id', class: 'read', limit: 1, window_seconds: 60, reason: 'many' };
    for (let n = 0; n < many; n += 1) {
      await call(here.services, putOverride, { body: { ...own, identifier: `user-${n}` } });
    }
    const { text } = await call(here.services, listOverrides, { query: { format: 'jsonl' } });
    const ids = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(new Set(ids).size).toBe(many);
  });
});
