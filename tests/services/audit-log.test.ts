import { describe, expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { listAudit } from '@/lib/admin/audit-log/list';
import { listAuditActors } from '@/lib/admin/audit-log/list-actors';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { createApiKey } from '@/lib/admin/keys/create';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { updateApiKey } from '@/lib/admin/keys/update';
import { inviteMember } from '@/lib/admin/members/invite';
import { updateMember } from '@/lib/admin/members/update';
import { createToken } from '@/lib/admin/tokens/create';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import type { AuditRecord } from '@/lib/contract/audit-log';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const list = (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  call(here.services, listAudit, { query, headers });
const verify = (query: Record<string, string> = {}) => call(here.services, verifyAuditLog, { query });
const add = (identifier: string, reason = 'office') =>
  call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier, reason } });

async function seed(): Promise<void> {
  await add('203.0.113.1');
  here.clock.advance(60_000);
  await add('203.0.113.2', '=1+1');
  here.clock.advance(60_000);
  await call(here.services, removeAllowlistEntry, { body: { type: 'ip', identifier: '203.0.113.1' } });
}

const seqs = async (query: Record<string, string>) => {
  const answer = await list(query);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.map((record: { seq: number }) => record.seq);
};

describe('the list', () => {
  it('says who did what to what, before and after, why, when and from where', async () => {
    await seed();
    const { json } = await list();
    expect(json).toHaveLength(3);
    expect(json[1]).toMatchObject({
      seq: 2,
      at: '2026-11-20T12:01:00.000Z',
      actor: 'bootstrap',
      actor_name: 'bootstrap',
      action: 'allowlist.add',
      reason: '=1+1',
      before: null,
    });
    expect(json[1].after).toMatchObject({ identifier: '203.0.113.2' });
    expect(json[0].before).toMatchObject({ identifier: '203.0.113.1' });
    expect(json[0].previous_hash).toBe(json[1].hash);
  });

  it('is filtered by actor, action, target and time', async () => {
    await seed();
    const { json } = await list();
    expect(await seqs({ actor: 'bootstrap' })).toEqual([3, 2, 1]);
    expect(await seqs({ actor: 'somebody' })).toEqual([]);
    expect(await seqs({ action: 'allowlist.add' })).toEqual([2, 1]);
    expect(await seqs({ action: 'allowlist' })).toEqual([3, 2, 1]);
    expect(await seqs({ action: 'allow' })).toEqual([]);
    expect(await seqs({ target: json[1].target })).toEqual([2]);
    expect(await seqs({ target_type: json[1].target_type })).toEqual([3, 2, 1]);
    expect(await seqs({ from: '2026-11-20T12:01:00Z', to: '2026-11-20T12:02:00Z' })).toEqual([2]);
    expect(await seqs({ limit: '2' })).toEqual([3, 2]);
    expect(await seqs({ limit: '2', cursor: 'Mg' })).toEqual([1]);
  });

  it('is filtered by several actions, each whole or a prefix', async () => {
    await seed();
    expect(await seqs({ action: 'allowlist.remove,override' })).toEqual([3]);
    expect(await seqs({ action: 'allowlist.remove,allowlist.add' })).toEqual([3, 2, 1]);
    expect(await seqs({ action: 'override,quota' })).toEqual([]);
  });

  it('is searched by part of an actor, a target or a reason, in any letter case', async () => {
    await seed();
    expect(await seqs({ q: 'BOOT' })).toEqual([3, 2, 1]);
    expect(await seqs({ q: '113.1' })).toEqual([3, 1]);
    expect(await seqs({ q: 'Offi' })).toEqual([1]);
    expect(await seqs({ q: '=1' })).toEqual([2]);
    expect(await seqs({ q: 'nobody' })).toEqual([]);
  });

  it.each<Record<string, string>>([
    { limit: '0' },
    { cursor: 'eA' },
    { from: 'yesterday' },
    { nothing: '1' },
    { actor: '' },
  ])('refuses %o', async (query) => expectInvalid(await list(query)));

  it('is exported as formula-safe CSV and as JSON lines', async () => {
    await seed();
    const csv = await list({ format: 'csv' });
    const lines = csv.text.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^seq,at,actor,/);
    expect(lines).toHaveLength(4);
    expect(lines[2]).toContain(",'=1+1,");
    const jsonl = await list({}, { Accept: 'application/jsonl' });
    expect(
      jsonl.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).seq),
    ).toEqual([3, 2, 1]);
  });
});

describe('the name of a target', () => {
  const create = async (name: string) =>
    (await call(here.services, createApiKey, { body: { name, tier: 'starter' } })).json.id as string;
  const records = async (query: Record<string, string> = {}) => (await list(query)).json as AuditRecord[];

  it('is the one of that time, beside the one of now where that differs', async () => {
    const id = await create('Store locator');
    await call(here.services, resetQuota, { params: { api_key: id }, body: { reason: 'ticket 7' } });
    await call(here.services, updateApiKey, { params: { id }, body: { name: 'Shop finder' } });
    await call(here.services, rotateApiKey, { params: { id }, body: {} });
    const names = (await records()).map(({ action, target_name: then, target_name_now: now }) => [action, then, now]);
    expect(names).toEqual([
      ['api_key.rotate', 'Shop finder', null],
      ['api_key.update', 'Shop finder', null],
      ['quota.reset', 'Store locator', 'Shop finder'],
      ['api_key.create', 'Store locator', 'Shop finder'],
    ]);
  });

  it('finds all records of the target, whichever name it had', async () => {
    const id = await create('Store locator');
    await call(here.services, resetQuota, { params: { api_key: id } });
    await call(here.services, updateApiKey, { params: { id }, body: { name: 'Shop finder' } });
    await create('Billing');
    expect(await seqs({ q: 'locator' })).toEqual([3, 2, 1]);
    expect(await seqs({ q: 'SHOP' })).toEqual([3, 2, 1]);
    expect(await seqs({ q: 'shop', action: 'quota' })).toEqual([2]);
    expect(await seqs({ q: 'billing' })).toEqual([4]);
  });

  it('is the e-mail address of a member and the name of a token, also of those that are gone', async () => {
    const token = (await call(here.services, createToken, { body: { name: 'deploy', role: 'viewer' } })).json.id;
    await call(here.services, revokeToken, { params: { id: token } });
    const member = { email: 'ada@example.com', role: 'viewer' };
    const { id } = (await call(here.services, inviteMember, { body: member })).json;
    await call(here.services, updateMember, { params: { id }, body: { name: 'Ada' } });
    expect((await records()).map(({ target_name: name }) => name)).toEqual([
      'ada@example.com',
      'ada@example.com',
      'deploy',
      'deploy',
    ]);
  });

  it('is null where the target speaks for itself, and where a record was tampered with nothing breaks', async () => {
    await add('203.0.113.1');
    const id = await create('Store locator');
    here.services.database.handle!.exec(`update audit set after = '{' where target = '${id}'`);
    const [key, entry] = await records();
    expect(entry).toMatchObject({ target: '203.0.113.1', target_name: null, target_name_now: null });
    expect(key).toMatchObject({ target_name: 'Store locator', after: '{' });
    expect(await seqs({ q: 'locator' })).toEqual([2]);
  });
});

describe('the actors', () => {
  it('are listed with the latest first, how much they did and when', async () => {
    await seed();
    expect((await call(here.services, listAuditActors, {})).json).toEqual([
      { actor: 'bootstrap', actor_name: 'bootstrap', changes: 3, last_at: '2026-11-20T12:02:00.000Z' },
    ]);
  });
});

describe('verification', () => {
  it('says that an untouched log is whole, and what its head is', async () => {
    expect((await verify()).json).toEqual({ valid: true, records: 0, head: { seq: 0, hash: '0'.repeat(64) } });
    await seed();
    const { json } = await list({ limit: '1' });
    expect((await verify()).json).toEqual({ valid: true, records: 3, head: { seq: 3, hash: json[0].hash } });
  });

  it('finds an edit in the database', async () => {
    await seed();
    here.services.database.handle!.exec("update audit set reason = 'nothing to see' where seq = 2");
    expect((await verify()).json).toMatchObject({
      valid: false,
      records: 1,
      first_invalid: { seq: 2, problem: 'altered' },
    });
  });

  it('finds a truncation and a rewrite, given the head of an earlier answer', async () => {
    await seed();
    const { head } = (await verify()).json;
    await add('203.0.113.4');
    const query = { head: head.hash, seq: String(head.seq) };
    expect((await verify(query)).json).toMatchObject({ valid: true, records: 4 });
    here.services.database.handle!.exec('delete from audit where seq >= 3');
    expect((await verify()).json.valid).toBe(true);
    expect((await verify(query)).json).toMatchObject({ valid: false, first_invalid: { seq: 3, problem: 'truncated' } });
    await add('203.0.113.5');
    expect((await verify(query)).json).toMatchObject({ valid: false, first_invalid: { seq: 3, problem: 'rewritten' } });
    expect((await verify({ head: head.hash })).json.valid).toBe(false);
  });

  it.each<Record<string, string>>([{ seq: '1' }, { head: 'x' }, { head: 'a'.repeat(64), seq: '-1' }])(
    'refuses %o',
    async (query) => {
      expect((await verify(query)).status).toBe(400);
    },
  );
});
