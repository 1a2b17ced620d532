import { count, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labTickets } from '@/drizzle/lab-schema';
import { DEVICE_GRANT } from '@/lib/contract/lab-paths';
import { createLibsqlState } from '@/lib/oauth/lab/libsql-state';
import { createMemoryState } from '@/lib/oauth/lab/memory-state';
import { type LabState, TICKETS_PER_KIND } from '@/lib/oauth/lab/services';
import { loadSigningKey } from '@/lib/oauth/lab/signing-key';
import { makeLab, START } from '@/tests/unit/oauth/lab-fixture';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';

let file: MigratedDatabase;
beforeAll(async () => {
  file = await migratedDatabase();
});
afterAll(() => file[Symbol.dispose]());

const ticket = (hash: string, expiresAt = START + 60_000) => ({
  kind: 'code' as const,
  hash,
  payload: '{}',
  createdAt: START,
  expiresAt,
});

describe.each(['memory', 'libsql'])('the lab state in %s', (kind) => {
  let state: LabState;
  beforeAll(() => {
    state = kind === 'memory' ? createMemoryState() : createLibsqlState(file.database.drizzle);
  });

  test('a ticket is claimed once, by one of many', async () => {
    await state.put(ticket('one'));
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_, i) => state.claim('code', 'one', START + 1, `grant-${i}`)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await state.read('code', 'one')).toEqual({
      ...ticket('one'),
      usedAt: START + 1,
      mark: `grant-${claims.indexOf(true)}`,
    });
    expect(await state.claim('code', 'unknown', START, null)).toBe(false);
    expect(await state.claim('refresh', 'one', START, null)).toBe(false);
  });

  test('a proof is kept once', async () => {
    const kept = await Promise.all(Array.from({ length: 20 }, () => state.put({ ...ticket('proof'), kind: 'dpop' })));
    expect(kept.filter(Boolean)).toHaveLength(1);
  });

  test('revocations name their controls', async () => {
    await state.revoke('jti:a', 'revocation-effective', START + 1000);
    await state.revoke('jti:a', 'revocation-effective', START + 2000);
    await state.revoke('grant:b', 'code-reuse-revokes', START + 1000);
    expect((await state.revokedBy(['jti:a', 'grant:b', 'x'])).sort()).toEqual([
      'code-reuse-revokes',
      'revocation-effective',
    ]);
    expect(await state.revokedBy([])).toEqual([]);
  });

  test('what has expired is deleted, and nothing else', async () => {
    await state.put(ticket('old', START + 10));
    await state.put(ticket('young', START + 90_000));
    await state.cleanUp(START + 10);
    expect(await state.read('code', 'old')).toBeNull();
    expect(await state.read('code', 'young')).not.toBeNull();
    await state.cleanUp(START + 1500);
    expect((await state.revokedBy(['jti:a', 'grant:b'])).sort()).toEqual(['revocation-effective']);
  });

  test('a flood of 100,000 codes keeps no more than 10,000', async () => {
    if (kind === 'libsql') {
      // Written at once: one by one they would take minutes. Whatever is there, the next few make room.
      await file.database.client.execute(`
        with recursive n(i) as (select 0 union all select i + 1 from n where i < 99967)
        insert into lab_tickets (kind, hash, payload, created_at, expires_at)
        select 'code', 'flood-' || i, '{}', ${START}, ${START + 60_000} from n`);
      for (let i = 99_968; i < 100_000; i += 1) await state.put(ticket(`flood-${i}`));
      const codes = file.database.drizzle.select({ count: count() }).from(labTickets);
      expect((await codes.where(eq(labTickets.kind, 'code')))[0]?.count).toBeLessThanOrEqual(TICKETS_PER_KIND);
    } else {
      for (let i = 0; i < 100_000; i += 1) await state.put(ticket(`flood-${i}`));
    }
    expect(await state.read('code', 'flood-0')).toBeNull();
    expect(await state.read('code', `flood-${100_000 - TICKETS_PER_KIND - 1}`)).toBeNull();
    expect(await state.read('code', 'flood-99999')).not.toBeNull();
  });

  test('the oldest codes make room, and refresh tokens are left alone', async () => {
    await state.put({ ...ticket('precious'), kind: 'refresh' });
    await state.put(ticket('first'));
    const many = Array.from({ length: TICKETS_PER_KIND }, (_, i) => ticket(`code-${i}`));
    if (kind === 'libsql') {
      // Most of them at once: each `put` waits for the disk.
      const early = many.splice(0, TICKETS_PER_KIND - 500);
      while (early.length > 0) await file.database.drizzle.insert(labTickets).values(early.splice(0, 1_000));
    }
    for (const row of many) await state.put(row);
    expect(await state.read('code', 'first')).toBeNull();
    expect(await state.read('code', `code-${TICKETS_PER_KIND - 1}`)).not.toBeNull();
    expect(await state.read('refresh', 'precious')).not.toBeNull();
    if (kind === 'libsql') {
      const rows = await file.database.drizzle.select({ kind: labTickets.kind }).from(labTickets);
      expect(rows.filter((row) => row.kind === 'code').length).toBeLessThanOrEqual(TICKETS_PER_KIND);
    }
  });
});

test('every process gets the same signing key, also when they start together', async () => {
  const labs = [file.database, file.reopen(), file.reopen()].map((database) =>
    makeLab(createLibsqlState(database.drizzle)),
  );
  const keys = await Promise.all(labs.map((lab) => loadSigningKey(lab.services)));
  expect(new Set(keys.map((key) => key.kid)).size).toBe(1);
  const { access_token } = await labs[0]!.tokensFor();
  expect((await labs[1]!.data(access_token)).status).toBe(200);
});

test('50 redemptions at once over two connections give one token', async () => {
  const labs = [file.database, file.reopen()].map((database) => makeLab(createLibsqlState(database.drizzle)));
  const code = await labs[0]!.codeFor();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => labs[i % 2]!.redeem(code)));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
});

test('a device is answered over one connection and polls over another', async () => {
  const [one, other] = [file.database, file.reopen()].map((database) => makeLab(createLibsqlState(database.drizzle)));
  const device = await (await one!.form('/auth/device_authorization', { client_id: 'demo-client' })).json();
  const poll = (lab: typeof one) =>
    lab!.form('/auth/token', { grant_type: DEVICE_GRANT, client_id: 'demo-client', device_code: device.device_code });
  expect((await (await poll(other)).json()).error).toBe('authorization_pending');
  expect((await (await poll(one)).json()).error).toBe('slow_down');
  const body = JSON.stringify({ user_code: device.user_code });
  const headers = { 'content-type': 'application/json' };
  expect((await other!.send('/auth/device', { method: 'POST', headers, body })).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => poll(i % 2 === 0 ? one : other)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const rows = JSON.stringify(await file.database.drizzle.select().from(labTickets));
  for (const secret of [device.device_code, device.user_code]) expect(rows).not.toContain(secret);
});

test('codes and tokens are stored hashed', async () => {
  const lab = makeLab(createLibsqlState(file.database.drizzle));
  const code = await lab.codeFor();
  const { refresh_token } = await (await lab.redeem(code)).json();
  const rows = JSON.stringify(await file.database.drizzle.select().from(labTickets));
  expect(rows).not.toContain(code);
  expect(rows).not.toContain(refresh_token);
});
