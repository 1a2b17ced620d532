import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { signIns } from '@/drizzle/schema';
import { listFailedSignIns } from '@/lib/admin/session/list-failed-sign-ins';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { forgetOldSignIns, KEPT_FAILURES, logSignIn, NOBODY } from '@/lib/auth/sign-in-log';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { type AuthServices, authServices } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { call } from '@/tests/fixtures/call';

const ADA = 'ada@example.com';
const PASSWORD = 'correct horse battery staple';
const MINUTE = 60_000;

let auth: AuthServices;
let ada: { id: string };

beforeEach(async () => {
  auth = await authServices();
  ada = await auth.member(ADA, 'viewer', PASSWORD);
  onTestFinished(() => auth[Symbol.dispose]());
});

const fail = (email: string, address: string | null) =>
  authenticateMember(auth.services, { email, password: 'wrong' }, { address });
const rows = async (memberId: string) =>
  auth.services.database.drizzle.select().from(signIns).where(eq(signIns.memberId, memberId));
/** Asks as the browser does. */
const ask = (jar: BrowserJar) =>
  call(auth.services, listFailedSignIns, { headers: { authorization: '', cookie: jar.cookieHeader } });

describe('failed sign-ins on the own account', () => {
  it('are counted since the sign-in before this one, and listed with time and address, newest first', async () => {
    const jar = new BrowserJar(auth.services);
    await fail(ADA, '192.0.2.9');
    await jar.signIn(ADA, PASSWORD);
    expect((await ask(jar)).json).toMatchObject({ since: null, count: 1, newest: [{ address: '192.0.2.9' }] });
    const since = auth.services.clock();
    auth.pass(MINUTE);
    await fail(ADA, '2001:db8::1');
    await fail('bob@example.com', '192.0.2.1');
    auth.pass(MINUTE);
    await fail(ADA, null);
    auth.pass(MINUTE);
    await jar.signIn(ADA, PASSWORD);
    const { status, json } = await ask(jar);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      since: formatTimestamp(since),
      count: 2,
      newest: [
        { at: formatTimestamp(since + 2 * MINUTE), address: null, method: 'password' },
        { at: formatTimestamp(since + MINUTE), address: '2001:db8::1', method: 'password' },
        { address: '192.0.2.9' },
      ],
    });
  });

  it('are shown to the member alone, and to no token', async () => {
    await fail(ADA, '192.0.2.9');
    await auth.member('bob@example.com', 'owner', PASSWORD);
    const bob = new BrowserJar(auth.services);
    await bob.signIn('bob@example.com', PASSWORD);
    expect((await ask(bob)).json).toEqual({ since: null, count: 0, newest: [] });
    const { token } = await auth.token('owner');
    const asToken = await call(auth.services, listFailedSignIns, { headers: { authorization: `Bearer ${token}` } });
    expect([asToken.status, asToken.json]).toEqual([200, { since: null, count: 0, newest: [] }]);
    expect((await ask(new BrowserJar(auth.services))).status).toBe(401);
  });

  it('are written with the same work where there is no such account', async () => {
    await fail('nobody@example.com', '192.0.2.1');
    await fail('no address at all', '192.0.2.1');
    expect(await rows(NOBODY)).toHaveLength(2);
    expect(await rows(ada.id)).toHaveLength(0);
  });

  it('are kept up to 200 of each account and for 90 days', async () => {
    const { database } = auth.services;
    const now = auth.services.clock();
    const entry = { memberId: ada.id, outcome: 'failed', at: now, address: null, method: 'password' } as const;
    for (let i = 0; i < KEPT_FAILURES + 30; i += 1)
      await database.batch(logSignIn(database, { ...entry, at: now + i }));
    await database.batch(logSignIn(database, { ...entry, memberId: NOBODY }));
    const kept = await rows(ada.id);
    expect(kept).toHaveLength(KEPT_FAILURES);
    expect(Math.min(...kept.map(({ at }) => at))).toBe(now + 30);
    expect(await rows(NOBODY)).toHaveLength(1);
    for (let i = 0; i < 5; i += 1) await database.batch(logSignIn(database, { ...entry, outcome: 'in' }));
    expect((await rows(ada.id)).filter(({ outcome }) => outcome === 'in')).toHaveLength(2);
    await forgetOldSignIns(database, now + 90 * 86_400_000 + 31);
    expect(await rows(NOBODY)).toHaveLength(0);
    expect((await rows(ada.id)).length).toBe(KEPT_FAILURES - 1);
  });

  it('are found by an index', async () => {
    const { database } = auth.services;
    const statement = sql`explain query plan select * from sign_ins where member_id = ${ada.id} and outcome = 'failed' order by id desc limit 20`;
    const plan = await database.drizzle.all<{ detail: string }>(statement);
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('USING INDEX sign_ins_member')]);
  });
});
