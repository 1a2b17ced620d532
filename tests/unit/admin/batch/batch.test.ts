import { describe, expect, it } from 'vitest';
import { assessments } from '@/drizzle/assessment-schema';
import { audit } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { listAssessments } from '@/lib/admin/assessments/list';
import { removeAssessment } from '@/lib/admin/assessments/remove';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { addGrant } from '@/lib/admin/grants/add';
import { listGrants } from '@/lib/admin/grants/list';
import { createApiKey } from '@/lib/admin/keys/create';
import { getApiKey } from '@/lib/admin/keys/get';
import { inviteMember } from '@/lib/admin/members/invite';
import { listMembers } from '@/lib/admin/members/list';
import { removeMember } from '@/lib/admin/members/remove';
import { createToken } from '@/lib/admin/tokens/create';
import { listTokens } from '@/lib/admin/tokens/list';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { undoChange } from '@/lib/admin/undo/undo';
import { createWebhook } from '@/lib/admin/webhooks/create';
import { listWebhooks } from '@/lib/admin/webhooks/list';
import { removeWebhook } from '@/lib/admin/webhooks/remove';
import { testWebhook } from '@/lib/admin/webhooks/test';
import { runBatch } from '@/lib/api/operations';
import type { BatchResult } from '@/lib/contract/batch';
import { createSystemContext } from '@/lib/operation/context';
import type { Operation, Reply } from '@/lib/operation/operation';
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

  it('does 500 items, each with its record', async () => {
    const entries = Array.from({ length: 500 }, (_, n) => ({ ...ENTRY, identifier: `198.18.${n >> 8}.${n & 255}` }));
    const { results } = await run('addAllowlistEntry', entries);
    expect(results.filter(({ status }) => status === 200)).toHaveLength(500);
    expect(new Set(results.map(({ audit_seq: seq }) => seq)).size).toBe(500);
    expect((await call(here.services, listAllowlist)).json).toHaveLength(500);
  });

  it('takes back another end of a grant by the records of both its halves, the newest first', async () => {
    const key = await newKey('Billing');
    const grant = { api_key: key, requests: 100, until: UNTIL, reason: 'A campaign' };
    const { json: made } = await call(here.services, addGrant, { body: grant });
    const { results } = await run('extendGrant', [{ id: made.id, until: '2026-12-30T00:00:00.000Z' }]);
    const seq = results[0]?.audit_seq ?? 0;
    const undone = await run('undoChange', [{ seq }, { seq: seq - 1 }]);
    expect(statuses(undone.results)).toEqual([200, 200]);
    const grants = (await call(here.services, listGrants, { query: { api_key: key } })).json;
    expect(grants).toMatchObject([{ id: made.id, until: UNTIL, reason: 'A campaign' }]);
  });

  it('has 1 to 500 items of a known operation', async () => {
    const many = Array.from({ length: 501 }, () => ENTRY);
    for (const body of [
      { operation: 'addAllowlistEntry', items: [] },
      { operation: 'addAllowlistEntry', items: many },
      { operation: 'inviteMember', items: [{ email: 'ada@example.com', role: 'viewer' }] },
      { operation: 'addAllowlistEntry', items: ['x'] },
    ])
      expectInvalid(await call(here.services, runBatch, { body }));
  });
});

const made = async (operation: Operation, body: unknown): Promise<string> =>
  (await call(here.services, operation, { body })).json.id;
const left = async (operation: Operation, member: string) =>
  (await call(here.services, operation)).json.map((row: Record<string, unknown>) => row[member]);

async function storeAssessments(ids: readonly string[]): Promise<string[]> {
  const row = {
    ...{ name: 'sso', kind: 'server' as const, target: 'https://sso.example.com', startedAt: 1, startedBy: 'x' },
    ...{ starter: 'x', build: '0', state: 'finished' as const, aliveAt: 0, durationMs: 0, preflight: '[]' },
    ...{ passed: 0, failed: 0, notApplicable: 0, inconclusive: 0, grade: null },
  };
  await here.services.database.drizzle.insert(assessments).values(ids.map((id) => ({ ...row, id })));
  return [...ids];
}

interface Removal {
  operation: string;
  single: Operation;
  make: () => Promise<string[]>;
  rest: () => Promise<string[]>;
  actions: string[];
}

const NAMES = ['a', 'b', 'c'];
const each = async (make: (name: string) => Promise<string>) => {
  const ids: string[] = [];
  for (const name of NAMES) ids.push(await make(name));
  return ids;
};
const REMOVALS: Removal[] = [
  {
    operation: 'revokeToken',
    single: revokeToken,
    make: () => each((name) => made(createToken, { name, role: 'viewer' })),
    rest: () => left(listTokens, 'id'),
    actions: ['token.revoke', 'token.revoke', 'token.revoke'],
  },
  {
    operation: 'removeMember',
    single: removeMember,
    make: () => each((name) => made(inviteMember, { email: `${name}@example.com`, role: 'viewer' })),
    rest: () => left(listMembers, 'id'),
    actions: ['member.remove', 'member.remove', 'member.remove'],
  },
  {
    operation: 'removeAssessment',
    single: removeAssessment,
    make: () => storeAssessments(NAMES.map(() => crypto.randomUUID())),
    rest: () => left(listAssessments, 'id'),
    actions: ['assessment.remove', 'assessment.remove', 'assessment.remove'],
  },
  {
    operation: 'removeWebhook',
    single: removeWebhook,
    make: () => each((name) => made(createWebhook, { name, url: 'https://hooks.example.com/' })),
    rest: () => left(listWebhooks, 'id'),
    actions: ['webhook.remove', 'webhook.remove', 'webhook.remove'],
  },
];

describe.each(REMOVALS)('$operation', ({ operation, single, make, rest, actions }) => {
  it('foresees each, changes nothing by that, then does those that are still there', async () => {
    const ids = await make();
    const items = ids.map((id) => ({ id, reason: `Because of ${id}` }));
    const body = { operation, items };
    const before = await here.services.database.drizzle.$count(audit);
    const foreseen = await call(here.services, runBatch, { body, query: { dry_run: 'true' } });
    expect(foreseen.json.changes.map(({ action, target }: Record<string, string>) => [action, target])).toEqual(
      ids.map((id, index) => [actions[index], id]),
    );
    expect(await here.services.database.drizzle.$count(audit)).toBe(before);
    // Another one is faster with the second.
    const [first = '', second = '', third = ''] = ids;
    expect((await call(here.services, single, { params: { id: second } })).status).toBe(204);
    const { results } = await run(operation, items);
    expect(statuses(results)).toEqual([204, 404, 204]);
    expect(await rest()).toEqual([]);
    const records = (await here.services.database.drizzle.select().from(audit)).slice(before);
    expect(records.map(({ action, target, reason }) => [action, target, reason])).toEqual([
      [actions[0], second, null],
      [actions[1], first, `Because of ${first}`],
      [actions[2], third, `Because of ${third}`],
    ]);
    expect([results[0]?.audit_seq, results[2]?.audit_seq]).toEqual(records.slice(1).map(({ seq }) => seq));
  });

  it('does each once where two batches, or one sent twice, race for them', async () => {
    const items = (await make()).map((id) => ({ id }));
    const other = await here.another();
    const body = { operation, items };
    const answers = await Promise.all([here.services, other].map((services) => call(services, runBatch, { body })));
    const done = answers.map(({ json }) => statuses(json.results));
    for (const index of items.keys()) expect(done.map((row) => row[index]).sort()).toEqual([204, 404]);
    expect(await rest()).toEqual([]);
    expect((await call(here.services, verifyAuditLog)).json.valid).toBe(true);
  });

  it('answers as it did when it is sent again under its key', async () => {
    const items = (await make()).map((id) => ({ id }));
    const headers = { 'Idempotency-Key': 'again' };
    const { results } = await run(operation, items, headers);
    expect(statuses(results)).toEqual([204, 204, 204]);
    expect((await run(operation, items, headers)).results).toEqual(results);
  });
});

describe('a batch of members', () => {
  const invite = (name: string, role: string) => made(inviteMember, { email: `${name}@example.com`, role });
  it('removes everybody but oneself', async () => {
    const [self, owner, viewer] = [
      await invite('self', 'owner'),
      await invite('b', 'owner'),
      await invite('c', 'viewer'),
    ];
    const items = [{ id: owner }, { id: self }, { id: viewer }];
    const context = {
      ...createSystemContext(here.services),
      actor: { id: `member:${self}`, name: 'self', role: 'owner' },
    } as const;
    const body = { operation: 'removeMember', items } as const;
    const { results } = (
      (await runBatch.run(context, { params: {}, query: {}, body })) as Reply<{ results: BatchResult[] }>
    ).value;
    expect(statuses(results)).toEqual([204, 409, 204]);
    expect(results[1]?.error).toEqual({
      error: 'conflict',
      error_description: 'A batch cannot remove the member who sends it.',
    });
    expect(await left(listMembers, 'id')).toEqual([self]);
  });

  it('leaves the last owner', async () => {
    const ids = [await invite('a', 'owner'), await invite('b', 'owner')];
    const { results } = await run(
      'removeMember',
      ids.map((id) => ({ id })),
    );
    expect(statuses(results)).toEqual([204, 409]);
    expect(await left(listMembers, 'id')).toEqual(ids.slice(1));
  });
});

describe('a batch of undos', () => {
  const add = (identifier: string) => made(addAllowlistEntry, { ...ENTRY, identifier });
  const allowed = () => left(listAllowlist, 'identifier');

  it('takes back each change that still can be, newest first', async () => {
    for (const last of [1, 2, 3]) await add(`203.0.113.${last}`);
    await call(here.services, undoChange, { params: { seq: '2' } });
    const { results } = await run('undoChange', [
      { seq: 3, reason: 'Wrong list' },
      { seq: 2 },
      { seq: '1' },
      { seq: 99 },
    ]);
    expect(statuses(results)).toEqual([200, 409, 200, 404]);
    expect(results[1]?.error?.error_description).toMatch(/^It was already undone, by bootstrap with change 4\.$/);
    expect(results[0]?.value).toMatchObject({ seq: 5, undoes: 3 });
    expect(await allowed()).toEqual([]);
    const rows = await here.services.database.drizzle.select().from(audit);
    expect(rows.slice(4).map(({ undoes, reason }) => [undoes, reason])).toEqual([
      [3, 'Wrong list'],
      [1, null],
    ]);
  });

  it('takes back several changes of one thing, newest first', async () => {
    const key = await newKey('Billing');
    await run('changeTier', [
      { api_key: key, tier: 'business' },
      { api_key: key, tier: 'enterprise' },
    ]);
    expect(statuses((await run('undoChange', [{ seq: 3 }, { seq: 2 }])).results)).toEqual([200, 200]);
    expect((await call(here.services, getApiKey, { params: { id: key } })).json.tier).toBe('starter');
  });

  it('needs for each the role of its change', async () => {
    const token = await call(here.services, createToken, { body: { name: 'ops', role: 'operator' } });
    const webhook = await made(createWebhook, { name: 'On-call', url: 'https://hooks.example.com/' });
    await add('203.0.113.1');
    const removed = await call(here.services, removeWebhook, { params: { id: webhook } });
    const headers = { Authorization: `Bearer ${token.json.token}` };
    const seq = Number(removed.headers.get('X-Audit-Seq'));
    const { results } = await run('undoChange', [{ seq }, { seq: seq - 1 }], headers);
    expect(statuses(results)).toEqual([403, 200]);
    expect(await allowed()).toEqual([]);
  });

  it('is refused where the number is none', async () => {
    const { results } = await run('undoChange', [{ seq: 0 }, { seq: 1.5 }, { seq: null }, {}, { seq: 1, at: 2 }]);
    expect(statuses(results)).toEqual([400, 400, 400, 400, 400]);
  });
});

describe('a batch of deliveries', () => {
  it('sends each again, and says of which there is none', async () => {
    const id = await made(createWebhook, { name: 'On-call', url: 'https://hooks.invalid/' });
    const other = await made(createWebhook, { name: 'Night', url: 'https://hooks.example.com/' });
    const { json } = await call(here.services, testWebhook, { params: { id } });
    const items = [
      { id, delivery: json.id, reason: 'It was down' },
      { id, delivery: 99 },
      { id: other, delivery: json.id },
      { id, delivery: String(json.id) },
    ];
    const { results } = await run('replayDelivery', items);
    expect(statuses(results)).toEqual([200, 404, 404, 200]);
    expect(results[0]?.value).toMatchObject({ id: json.id, state: 'pending' });
  });
});
