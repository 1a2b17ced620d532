import { describe, expect, it } from 'vitest';
import { audit } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { runBatch } from '@/lib/admin/batch/run';
import { addGrant } from '@/lib/admin/grants/add';
import { listGrants } from '@/lib/admin/grants/list';
import { createApiKey } from '@/lib/admin/keys/create';
import { getApiKey } from '@/lib/admin/keys/get';
import { createToken } from '@/lib/admin/tokens/create';
import { undoChange } from '@/lib/admin/undo/undo';
import type { BatchResult } from '@/lib/contract/batch';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const UNTIL = '2026-12-24T00:00:00.000Z';
const ENTRY = { type: 'ip', identifier: '203.0.113.7', reason: 'Office' };

const run = async (operation: string, items: unknown[], headers: Record<string, string> = {}) => {
  const answer = await call(here.services, runBatch, { body: { operation, items }, headers });
  expect(answer.status, answer.text).toBe(200);
  return { ...answer, results: answer.json.results as BatchResult[] };
};
const statuses = (results: BatchResult[]) => results.map(({ status }) => status);
const newKey = async (name: string) =>
  (await call(here.services, createApiKey, { body: { name, tier: 'starter' } })).json.id as string;

describe('a batch', () => {
  it('answers each item as its single call would, in order, and a refused item stops no other', async () => {
    const key = await newKey('Billing');
    const unknown = '00000000-0000-4000-8000-000000000000';
    const { results } = await run('changeTier', [
      { api_key: key, tier: 'business', reason: 'Upgrade' },
      { api_key: unknown, tier: 'business' },
      { api_key: key, tier: 'gold' },
      { api_key: key, tier: 'free', colour: 'red' },
      { api_key: key, tier: 'enterprise' },
    ]);
    expect(statuses(results)).toEqual([200, 404, 400, 400, 200]);
    expect(results[0]).toEqual({ status: 200, audit_seq: 2, value: { status: 'updated', tier: 'business' } });
    expect(results[2]?.error).toMatchObject({ error: 'invalid_request', details: [{ path: 'tier' }] });
    expect((await call(here.services, getApiKey, { params: { id: key } })).json.tier).toBe('enterprise');
    const rows = await here.services.database.drizzle.select().from(audit);
    expect(rows.map(({ action, reason }) => [action, reason])).toEqual([
      ['api_key.create', null],
      ['quota.tier', 'Upgrade'],
      ['quota.tier', null],
    ]);
    expect(new Set(rows.slice(1).map(({ requestId }) => requestId)).size).toBe(1);
  });

  it('resets, revokes, adds and removes', async () => {
    const key = await newKey('Billing');
    expect(statuses((await run('resetQuota', [{ api_key: key, reason: 'Dispute' }])).results)).toEqual([200]);
    expect(statuses((await run('resetCounters', [{ type: 'ip', identifier: '203.0.113.7' }])).results)).toEqual([204]);
    expect(statuses((await run('addAllowlistEntry', [ENTRY])).results)).toEqual([200]);
    const { type, identifier } = ENTRY;
    const removals = [
      { type, identifier },
      { type, identifier, reason: 'Again' },
    ];
    expect(statuses((await run('removeAllowlistEntry', removals)).results)).toEqual([204, 404]);
    expect(statuses((await run('revokeApiKey', [{ id: key, reason: 'Leaked' }])).results)).toEqual([204]);
  });

  it('extends what there is, and changes nothing else of it', async () => {
    const { services } = here;
    const key = await newKey('Billing');
    await call(services, addAllowlistEntry, { body: ENTRY });
    const grant = { api_key: key, requests: 5, until: '2026-12-01T00:00:00Z', reason: 'Launch' };
    const { id } = (await call(services, addGrant, { body: grant })).json;
    const { type, identifier } = ENTRY;
    const some = [
      { type, identifier, expires_at: UNTIL },
      { type, identifier: '203.0.113.8', expires_at: UNTIL },
    ];
    expect(statuses((await run('extendAllowlistEntry', some)).results)).toEqual([200, 404]);
    expect((await call(services, listAllowlist)).json).toMatchObject([{ ...ENTRY, expires_at: UNTIL }]);
    const overrides = [{ type, identifier, class: 'read', expires_at: null }];
    expect(statuses((await run('extendOverride', overrides)).results)).toEqual([404]);
    expect(statuses((await run('extendApiKey', [{ id: key, expires_at: UNTIL }])).results)).toEqual([200]);
    expect((await call(services, getApiKey, { params: { id: key } })).json).toMatchObject({ expires_at: UNTIL });
    const extended = await run('extendGrant', [
      { id, until: UNTIL },
      { id, until: UNTIL },
      { id, until: '2020-01-01T00:00:00Z' },
    ]);
    expect(statuses(extended.results)).toEqual([200, 404, 400]);
    expect((await call(services, listGrants)).json).toMatchObject([{ requests: 5, until: UNTIL, reason: 'Launch' }]);
    expect((await call(services, verifyAuditLog)).json.valid).toBe(true);
    // Its two records are taken back one by one.
    const seq = extended.results[0]?.audit_seq ?? 0;
    for (const each of [seq, seq - 1])
      expect((await call(services, undoChange, { params: { seq: String(each) } })).status).toBe(200);
    expect((await call(services, listGrants)).json).toMatchObject([{ id, until: '2026-12-01T00:00:00.000Z' }]);
  });

  it('is done once with one Idempotency-Key, also where it was broken off in between', async () => {
    const { services } = here;
    const headers = { 'Idempotency-Key': 'batch-1' };
    const items = ['203.0.113.1', '203.0.113.2', '203.0.113.3'].map((identifier) => ({ ...ENTRY, identifier }));
    // The second item meets a database that is down; the process could as well have died there.
    const { database } = services;
    const { commit } = database;
    let calls = 0;
    Object.assign(database, {
      commit: (statements: Parameters<typeof commit>[0]) => {
        calls += 1;
        return calls < 2 ? commit(statements) : Promise.reject(new Error('killed'));
      },
    });
    expect(statuses((await run('addAllowlistEntry', items, headers)).results)).toEqual([200, 500, 500]);
    Object.assign(database, { commit });
    const { drizzle } = database;
    expect(await drizzle.$count(audit)).toBe(1);
    const { results } = await run('addAllowlistEntry', items, headers);
    expect(results.map(({ audit_seq: seq }) => seq)).toEqual([1, 2, 3]);
    expect((await run('addAllowlistEntry', items, headers)).headers.get('Idempotency-Replayed')).toBe('true');
    expect(await drizzle.$count(audit)).toBe(3);
  });

  it('is refused as a whole where the role does not allow the operation', async () => {
    const token = await call(here.services, createToken, { body: { name: 'ops', role: 'operator' } });
    const headers = { Authorization: `Bearer ${token.json.token}` };
    const body = { operation: 'revokeApiKey', items: [{ id: await newKey('Billing') }] };
    expect((await call(here.services, runBatch, { body, headers })).status).toBe(403);
    const allowed = { operation: 'addAllowlistEntry', items: [ENTRY] };
    expect((await call(here.services, runBatch, { body: allowed, headers })).status).toBe(200);
  });

  it('has 1 to 500 items of a known operation', async () => {
    const many = Array.from({ length: 501 }, () => ENTRY);
    for (const body of [
      { operation: 'addAllowlistEntry', items: [] },
      { operation: 'addAllowlistEntry', items: many },
      { operation: 'removeMember', items: [{ id: 'x' }] },
      { operation: 'addAllowlistEntry', items: ['x'] },
    ])
      expectInvalid(await call(here.services, runBatch, { body }));
  });
});
