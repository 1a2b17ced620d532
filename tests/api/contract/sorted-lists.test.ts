import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { createApiKey } from '@/lib/admin/keys/create';
import { listApiKeys } from '@/lib/admin/keys/list';
import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { toInstant } from '@/lib/contract/fields/instant';
import type { Operation } from '@/lib/operation/operation';
import { call } from '@/tests/fixtures/call';
import { TEST_START, type TestServices, testServices } from '@/tests/fixtures/services';

let here: TestServices;
beforeEach(async () => {
  here = await testServices();
});
afterEach(() => here[Symbol.dispose]());

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
    const ends = index % 2 === 0 ? null : toInstant(TEST_START + (10 - index) * 3_600_000);
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
    ['identifier', listAllowlist, (row: Row) => String(row.identifier)],
    ['reason', listAllowlist, (row: Row) => String(row.reason)],
    ['expires_at', listAllowlist, (row: Row) => String(row.expires_at ?? '9')],
    ['created_at', listAllowlist, (row: Row) => String(row.created_at)],
    ['limit', listOverrides, (row: Row) => (Number(row.limit) / Number(row.window_seconds)).toFixed(9)],
    ['last_used_at', listOverrides, (row: Row) => String(row.last_used_at ?? '')],
    ['identifier', listOverrides, (row: Row) => String(row.identifier)],
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
      'id,type,identifier,class,limit,window_seconds,reason,expires_at,last_used_at,created_at,created_by',
    ],
    [
      listApiKeys,
      'api-keys',
      'id,name,prefix,tier,client_type,user_id,usage,limit,remaining,reset_at,overage_allowed,expires_at,last_used_at,created_at,created_by,revoked_at',
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
