import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  invitations,
  keptMembers,
  members,
  providerAccounts,
  recoveryCodes,
  secondFactors,
  sessions,
} from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { listAudit } from '@/lib/admin/audit-log/list';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { tidy } from '@/lib/admin/housekeeping/tidy';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { updateApiKey } from '@/lib/admin/keys/update';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { previewReset } from '@/lib/admin/limits/preview-reset';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { createInvitation } from '@/lib/admin/members/create-invitation';
import { inviteMember } from '@/lib/admin/members/invite';
import { removeMember } from '@/lib/admin/members/remove';
import { putSignInSettings } from '@/lib/admin/members/sign-in-settings';
import { updateMember } from '@/lib/admin/members/update';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { createToken } from '@/lib/admin/tokens/create';
import { undoChange } from '@/lib/admin/undo/undo';
import type { AuditRecord } from '@/lib/contract/audit-log';
import type { MemberId } from '@/lib/ids';
import { parseAddress } from '@/lib/limiter/address';
import { type Answer, type CallOptions, call, expectInvalid } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const ENTRY = { type: 'ip', identifier: '203.0.113.7', reason: 'Ticket 900' };
const TARGET = { type: 'ip', identifier: '203.0.113.7' };

const add = (more: object = {}, options: CallOptions = {}) =>
  call(here.services, addAllowlistEntry, { body: { ...ENTRY, ...more }, ...options });
const remove = (options: CallOptions = {}) => call(here.services, removeAllowlistEntry, { body: TARGET, ...options });
const entries = async () => (await call(here.services, listAllowlist)).json;
const seqOf = ({ headers }: Answer) => Number(headers.get('X-Audit-Seq'));
const undo = (seq: number, options: CallOptions = {}) =>
  call(here.services, undoChange, { params: { seq: String(seq) }, ...options });
const records = async (): Promise<AuditRecord[]> => (await call(here.services, listAudit)).json;
const recordOf = async (seq: number) => (await records()).find((record) => record.seq === seq);
const later = (time: number) => new Date(here.clock.now + time).toISOString();

async function as(role: string): Promise<Record<string, string>> {
  const { json } = await call(here.services, createToken, { body: { name: `${role}-token`, role } });
  return { Authorization: `Bearer ${json.token}` };
}

const newKey = async (name = 'partner') =>
  (await call(here.services, createApiKey, { body: { name, tier: 'starter' } })).json;

describe('every change', () => {
  it('answers with the number of its audit record', async () => {
    const added = await add();
    const removed = await remove();
    expect([seqOf(added), seqOf(removed)]).toEqual([1, 2]);
    expect((await records()).map(({ seq, action }) => [seq, action])).toEqual([
      [2, 'allowlist.remove'],
      [1, 'allowlist.add'],
    ]);
    expect((await call(here.services, listAllowlist)).headers.has('X-Audit-Seq')).toBe(false);
    expect((await remove()).headers.has('X-Audit-Seq')).toBe(false);
  });

  it('answers with the same number when it is sent again with its key', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const first = await add({}, { headers });
    expect(seqOf(await add({}, { headers }))).toBe(seqOf(first));
  });

  it('takes a reason in the query where its body has none, trimmed and in NFC', async () => {
    await add();
    const removed = await remove({ query: { reason: '  Ticket 901, Cafe\u0301 ' } });
    expect(await recordOf(seqOf(removed))).toMatchObject({ reason: 'Ticket 901, Caf\u00e9' });
    await add();
    for (const reason of ['', ' ', 'x'.repeat(501), 'a\u0000b']) expectInvalid(await remove({ query: { reason } }));
    expect((await remove({ query: { reason: '🦆'.repeat(500) } })).status).toBe(204);
  });

  it('takes the reason of a counter reset in its body', async () => {
    const reset = await call(here.services, resetCounters, { body: { ...TARGET, reason: 'Support call' } });
    expect(await recordOf(seqOf(reset))).toMatchObject({ reason: 'Support call' });
  });
});

describe('an undo', () => {
  it('brings back exactly what was there', async () => {
    await add({ expires_at: later(86_400_000) });
    const before = await entries();
    here.clock.advance(60_000);
    const removed = await remove();
    here.clock.advance(60_000);
    const undone = await undo(seqOf(removed), { query: { reason: 'It was the wrong one' } });
    expect(undone.json).toEqual({ seq: 3, undoes: 2, restored: '203.0.113.7 is back on the allowlist.' });
    expect(seqOf(undone)).toBe(3);
    expect(await entries()).toEqual(before);
    expect(await recordOf(3)).toMatchObject({
      action: 'allowlist.remove.undo',
      undoes: 2,
      target: '203.0.113.7',
      before: null,
      after: { id: before[0].id, reason: 'Ticket 900' },
      reason: 'It was the wrong one',
    });
  });

  it('decides the next request', async () => {
    const bypassed = async () => {
      const address = parseAddress('203.0.113.7');
      const decision = await here.services.engine.decide({
        method: 'GET',
        path: '/api/data',
        address,
        requestId: null,
      });
      return decision.outcome === 'bypassed';
    };
    const added = await add();
    expect(await bypassed()).toBe(true);
    await undo(seqOf(added));
    expect(await bypassed()).toBe(false);
  });

  it('is a change that can be taken back, and keeps the chain of hashes whole', async () => {
    await add();
    const removed = await remove();
    const undone = await undo(seqOf(removed));
    const again = await undo(seqOf(undone));
    expect(again.json.restored).toBe('203.0.113.7 is no longer on the allowlist.');
    expect(await entries()).toEqual([]);
    expect((await undo(seqOf(again))).status).toBe(200);
    expect(await entries()).toHaveLength(1);
    expect((await call(here.services, verifyAuditLog)).json).toMatchObject({ valid: true, records: 5 });
  });

  it('happens once, however often it is asked for', async () => {
    await add();
    const seq = seqOf(await remove());
    const answers = await Promise.all([undo(seq), undo(seq), undo(seq)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const refused = await undo(seq);
    expect(refused.json.error_description).toBe('It was already undone, by bootstrap with change 3.');
    const headers = { 'Idempotency-Key': 'undo' };
    expect((await undo(3, { headers })).json).toEqual((await undo(3, { headers })).json);
  });

  it('is refused after a newer change of the same thing, by its number and whose it was', async () => {
    const first = seqOf(await add());
    const operator = await as('operator');
    const second = await add({ reason: 'Ticket 901' }, { headers: operator });
    const refused = await undo(first);
    expect([refused.status, refused.json.error, refused.json.error_description]).toEqual([
      409,
      'conflict',
      `operator-token changed the same thing later, with change ${seqOf(second)}.`,
    ]);
    await add({ identifier: '203.0.113.8' });
    await undo(seqOf(second));
    expect((await undo(first)).status).toBe(200);
  });

  it('does not bring back what has expired meanwhile', async () => {
    await add({ expires_at: later(60_000) });
    const removed = await remove();
    here.clock.advance(60_000);
    const refused = await undo(seqOf(removed));
    expect(refused.status).toBe(409);
    expect(refused.json.error_description).toBe(
      `What it would bring back expired at ${later(0)}. Add it again with a new expiry.`,
    );
  });

  it('needs the role that the change needed', async () => {
    const operator = await as('operator');
    const viewer = await as('viewer');
    const policies = await call(here.services, patchPolicies, { body: { tiers: { free: 5 } } });
    const refused = await undo(seqOf(policies), { headers: operator });
    expect([refused.status, refused.json.error_description]).toEqual([403, 'Undoing it needs the role owner.']);
    const added = await add({}, { headers: operator });
    expect((await undo(seqOf(added), { headers: viewer })).status).toBe(403);
    expect((await undo(seqOf(added), { headers: operator })).status).toBe(200);
  });

  it('answers 404 for a number that is none, and 400 for what is no number', async () => {
    expect((await undo(1)).status).toBe(404);
    for (const seq of ['0', '-1', '1.5', 'x', '9'.repeat(16)])
      expectInvalid(await call(here.services, undoChange, { params: { seq } }));
  });
});

describe('what can be taken back of a key', () => {
  it('its revocation: the same secret works again, through its grace too', async () => {
    const key = await newKey();
    const rotated = await call(here.services, rotateApiKey, { params: { id: key.id }, body: { grace_seconds: 3_600 } });
    const decide = (apiKey: string) =>
      here.services.engine.decide({ method: 'GET', path: '/api/data', address: undefined, apiKey, requestId: null });
    const works = async () =>
      [await decide(key.secret), await decide(rotated.json.secret)].map(({ refusal }) => refusal === null);
    const revoked = await call(here.services, revokeApiKey, { params: { id: key.id } });
    expect(await works()).toEqual([false, false]);
    const { json } = await undo(seqOf(revoked));
    expect(json.restored).toBe('The key partner works again, with the same secret.');
    expect(await works()).toEqual([true, true]);
  });

  it('not its revocation when another key has its name', async () => {
    const key = await newKey();
    const revoked = await call(here.services, revokeApiKey, { params: { id: key.id } });
    await newKey();
    expect((await undo(seqOf(revoked))).json).toMatchObject({
      error: 'conflict',
      error_description: expect.stringMatching(/name/),
    });
  });

  it('its settings and its tier, as long as nothing else was done to it', async () => {
    const { id } = await newKey();
    const renamed = await call(here.services, updateApiKey, { params: { id }, body: { name: 'new', user_id: 'u' } });
    const tier = await call(here.services, changeTier, { params: { api_key: id }, body: { tier: 'free' } });
    expect((await undo(seqOf(renamed))).json.error_description).toContain(`change ${seqOf(tier)}`);
    expect((await undo(seqOf(tier))).json.restored).toBe('The key new has the tier starter again.');
    expect((await undo(seqOf(renamed))).json.restored).toBe('The key partner was restored.');
  });

  it('not its creation and not a rotation', async () => {
    const { id } = await newKey();
    const rotated = await call(here.services, rotateApiKey, { params: { id } });
    for (const seq of [1, seqOf(rotated)]) {
      expect((await undo(seq)).json.error_description).toMatch(/already/);
      expect((await recordOf(seq))?.undo).toMatchObject({ possible: false, why: expect.stringMatching(/already/) });
    }
  });
});

describe('what can be taken back of members', () => {
  it('a role, but never from the last owner', async () => {
    const invite = (email: string, role: string) => call(here.services, inviteMember, { body: { email, role } });
    await invite('one@example.com', 'owner');
    const { json: two } = await invite('two@example.com', 'viewer');
    const promoted = await call(here.services, updateMember, { params: { id: two.id }, body: { role: 'owner' } });
    expect((await undo(seqOf(promoted))).json.restored).toBe('two@example.com is viewer again.');
  });

  const newMember = async (email: string, body: object = {}) =>
    call(here.services, inviteMember, { body: { email, role: 'owner', ...body } });
  const removeById = (id: string) => call(here.services, removeMember, { params: { id } });
  const rowsOf = async (id: string) => {
    const { drizzle } = here.services.database;
    const tables = [providerAccounts, secondFactors, recoveryCodes, invitations, sessions] as const;
    const [member] = await drizzle
      .select()
      .from(members)
      .where(eq(members.id, id as MemberId));
    const rows = tables.map((table) =>
      drizzle
        .select()
        .from(table)
        .where(eq(table.memberId, id as MemberId)),
    );
    return [{ ...member, revision: 0 }, ...(await Promise.all(rows))];
  };

  it('a removal: role, password, second factor, accounts and invitation are back, sessions are not', async () => {
    const { id } = (await newMember('ada@example.com', { password: 'correct horse battery staple' })).json;
    await newMember('bob@example.com');
    const { drizzle } = here.services.database;
    await drizzle
      .insert(providerAccounts)
      .values({ issuer: 'https://github.com', subject: '7', memberId: id, boundAt: 1 });
    await drizzle
      .insert(secondFactors)
      .values({ memberId: id, secret: 'x', createdAt: 1, confirmedAt: 2, lastStep: 3 });
    await drizzle.insert(recoveryCodes).values({ memberId: id, codeHash: 'y' });
    await call(here.services, createInvitation, { params: { id } });
    const before = await rowsOf(id);
    await drizzle.insert(sessions).values({ id: 's', memberId: id, createdAt: 1, expiresAt: 2 });
    const removed = await removeById(id);
    expect((await rowsOf(id)).slice(1)).toEqual([[], [], [], [], []]);
    here.clock.advance(15 * 60_000 - 1);
    const undone = await undo(seqOf(removed));
    expect(undone.json.restored).toBe('ada@example.com is a member again, as owner. They have to sign in again.');
    expect(await rowsOf(id)).toEqual(before);
    expect(await drizzle.$count(keptMembers)).toBe(0);
    const again = await undo(undone.json.seq);
    expect(again.json.restored).toBe('ada@example.com is no longer a member.');
    const third = await undo(again.json.seq);
    expect([third.status, await rowsOf(id)]).toEqual([200, before]);
    // Removed again by an undo, the first removal can be taken back too.
    expect((await undo(third.json.seq)).status).toBe(200);
    expect([(await undo(seqOf(removed))).status, await rowsOf(id)]).toEqual([200, before]);
    expect(await drizzle.$count(keptMembers)).toBe(0);
  });

  it('not a removal after 15 minutes, when nothing of it is kept any more', async () => {
    const { id } = (await newMember('ada@example.com')).json;
    await newMember('bob@example.com');
    const removed = await removeById(id);
    here.clock.advance(15 * 60_000);
    expect((await undo(seqOf(removed))).json.error_description).toBe(
      'A removed member can be brought back for 15 minutes. Invite them again.',
    );
    here.clock.advance(1);
    await tidy(here.services);
    expect(await here.services.database.drizzle.$count(keptMembers)).toBe(0);
  });

  it('not a removal when the address or an account belongs to another member', async () => {
    const { id } = (await newMember('ada@example.com')).json;
    const { id: other } = (await newMember('bob@example.com')).json;
    const { drizzle } = here.services.database;
    const account = { issuer: 'https://github.com', subject: '7', boundAt: 1 };
    await drizzle.insert(providerAccounts).values({ ...account, memberId: id });
    const removed = await removeById(id);
    await drizzle.insert(providerAccounts).values({ ...account, memberId: other });
    expect((await undo(seqOf(removed))).json.error_description).toMatch(/signs in with one of their accounts/);
    await newMember('ada@example.com');
    expect((await undo(seqOf(removed))).json.error_description).toMatch(/has the e-mail address now/);
  });

  it('an invitation, until it is used', async () => {
    await newMember('bob@example.com');
    const invited = await newMember('ada@example.com');
    const undone = await undo(seqOf(invited));
    expect(undone.json.restored).toBe('ada@example.com is no longer a member.');
    expect((await undo(undone.json.seq)).status).toBe(200);
    const { drizzle } = here.services.database;
    await drizzle.update(members).set({ passwordHash: 'x' }).where(eq(members.id, invited.json.id));
    expect((await undo(seqOf(invited))).json.error_description).toMatch(/has changed since/);
  });

  it('what sign-ins need', async () => {
    const put = (second_factor: string) => call(here.services, putSignInSettings, { body: { second_factor } });
    const required = await put('required');
    expect((await undo(seqOf(required))).json.restored).toBe('A second factor is optional again.');
    const first = seqOf(await put('required'));
    await put('optional');
    expect((await undo(first)).json.error_description).toMatch(/changed the same thing later/);
  });
});

describe('the undo of a reset', () => {
  const address = parseAddress('203.0.113.7');
  const send = async (times: number, apiKeyId?: string) => {
    const facts = { method: 'GET', path: '/api/data', address, requestId: null, ...(apiKeyId && { apiKeyId }) };
    for (let i = 0; i < times; i += 1) await here.services.engine.decide(facts);
  };
  const used = async () => {
    const { json } = await call(here.services, inspectCounters, { query: TARGET });
    return json.counters.find((counter: { class: string }) => counter.class === 'read').used;
  };

  it('adds what was counted before to what was counted since', async () => {
    await send(5);
    const reset = await call(here.services, resetCounters, { body: TARGET });
    expect(await used()).toBe(0);
    here.clock.advance(2_000);
    await send(2);
    const { json } = await undo(seqOf(reset));
    expect(json.restored).toBe('What was counted for 203.0.113.7 before the reset counts again.');
    expect(await used()).toBe(7);
    expect((await undo(seqOf(reset))).status).toBe(409);
    expect((await undo(json.seq)).json.error_description).toBe('Reset again instead.');
  });

  it('gives a quota its usage back, and keeps what was used since', async () => {
    const { id } = await newKey();
    await send(5, id);
    const reset = await call(here.services, resetQuota, { params: { api_key: id } });
    await send(2, id);
    expect((await undo(seqOf(reset))).status).toBe(200);
    expect((await call(here.services, getQuota, { params: { api_key: id } })).json.usage).toBe(7);
  });

  it('is possible for 15 minutes', async () => {
    const reset = await call(here.services, resetCounters, { body: TARGET });
    here.clock.advance(15 * 60_000 - 1);
    expect((await recordOf(seqOf(reset)))?.undo).toEqual({ possible: true });
    here.clock.advance(1);
    const why = 'A reset can be undone for 15 minutes.';
    expect((await recordOf(seqOf(reset)))?.undo).toEqual({ possible: false, why });
    expect((await undo(seqOf(reset))).json.error_description).toBe(why);
  });

  it('says beforehand what it would clear, and whether that can be undone', async () => {
    await send(1);
    const preview = () => call(here.services, previewReset, { query: TARGET });
    expect((await preview()).json).toEqual({ counters: 1, undoable: true });
    await call(here.services, resetCounters, { body: TARGET });
    expect((await preview()).json).toEqual({ counters: 0, undoable: true });
  });
});

describe('the audit log', () => {
  it('says of each record whether it can be taken back by who asks', async () => {
    await add();
    await add({ reason: 'Ticket 901' });
    await remove();
    await undo(3);
    const operator = await as('operator');
    const policies = await call(here.services, patchPolicies, { body: { tiers: { free: 5 } } });
    const listed = async (headers?: Record<string, string>) =>
      Object.fromEntries(
        (await call(here.services, listAudit, { headers })).json.map(({ seq, undo: may }: AuditRecord) => [seq, may]),
      );
    expect(await listed()).toMatchObject({
      1: { possible: false, why: 'bootstrap changed the same thing later, with change 2.' },
      2: { possible: true },
      3: { possible: false, why: 'It was already undone, by bootstrap with change 4.' },
      4: { possible: true },
      [seqOf(policies)]: { possible: true },
    });
    expect((await listed(operator))[seqOf(policies)]).toEqual({
      possible: false,
      why: 'Undoing it needs the role owner.',
    });
  });
});
