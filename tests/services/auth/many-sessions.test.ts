import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { sessions } from '@/drizzle/schema';
import { tidy } from '@/lib/admin/housekeeping/tidy';
import { endMemberSessions, endOtherSessions } from '@/lib/admin/members/end-sessions';
import { listOwnSessions } from '@/lib/admin/session/own-sessions';
import { SESSION_IDLE } from '@/lib/auth/session';
import { insertRows } from '@/lib/db/insert-rows';
import { createSystemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { call } from '@/tests/fixtures/call';

const ADA = 'ada@example.com';
const PASSWORD = 'correct horse battery staple';
const MANY = 10_000;

let auth: AuthServices;
let ada: { id: string };

beforeEach(async () => {
  auth = await authServices();
  onTestFinished(() => auth[Symbol.dispose]());
  ada = await auth.member(ADA, 'owner', PASSWORD);
  const now = auth.services.clock();
  const rows = Array.from({ length: MANY }, (_, index) => ({
    ...{ id: `session-${index}`, memberId: ada.id, createdAt: now - index, expiresAt: now + SESSION_IDLE },
    ...{ address: '198.51.100.7', method: 'password' as const, lastSeenAt: now },
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) Firefox/${index}`,
  }));
  await auth.file.database.batch(insertRows(auth.file.database, sessions, rows));
});

const headersOf = (jar: BrowserJar) => ({
  ...{ Authorization: '', Cookie: jar.cookieHeader },
  ...{ Origin: 'http://sluice.test', Host: 'sluice.test' },
});
const count = () => auth.file.database.drizzle.$count(sessions);

it('are listed, and all but one are ended by one change', async () => {
  const jar = new BrowserJar(auth.services);
  expect((await jar.signIn(ADA, PASSWORD)).status).toBe(200);
  const headers = headersOf(jar);
  const listed = (await call(auth.services, listOwnSessions, { headers })).json as { current: boolean }[];
  expect(listed).toHaveLength(MANY + 1);
  expect(listed.filter(({ current }) => current)).toHaveLength(1);
  expect((await call(auth.services, endOtherSessions, { headers })).status).toBe(204);
  expect(await count()).toBe(1);
  expect((await call(auth.services, listOwnSessions, { headers })).json).toHaveLength(1);
});

it('are all ended by an owner, on every instance, while their member signs in', async () => {
  const other = await servicesOn(auth.file.reopen(), {}, auth.services.clock);
  const jars = Array.from({ length: 6 }, (_, index) => new BrowserJar(index % 2 === 0 ? auth.services : other));
  expect((await Promise.all(jars.map((jar) => jar.signIn(ADA, PASSWORD)))).map(({ status }) => status)).toEqual(
    jars.map(() => 200),
  );
  const end = (services: Services) =>
    endMemberSessions.run(createSystemContext(services), { params: { id: ada.id }, query: {}, body: undefined });
  await Promise.all([end(auth.services), end(other)]);
  expect(await count()).toBe(0);
  for (const jar of jars)
    for (const services of [auth.services, other])
      expect((await call(services, listOwnSessions, { headers: headersOf(jar) })).status).toBe(401);
});

it('are deleted when they have expired, by the housekeeping', async () => {
  auth.pass(SESSION_IDLE + 1);
  expect((await new BrowserJar(auth.services).signIn(ADA, PASSWORD)).status).toBe(200);
  await tidy(auth.services);
  expect(await count()).toBe(1);
});

it('are found by an index, whatever is asked of them', async () => {
  for (const [where, index] of [
    ['member_id = ?', 'sessions_member'],
    ['expires_at <= ?', 'sessions_expires'],
    ['id = ?', 'sqlite_autoindex_sessions_1'],
  ] as const) {
    const args = Array(where.split('?').length - 1).fill(1);
    const { rows } = await auth.file.database.client.execute({
      sql: `explain query plan select * from sessions where ${where}`,
      args,
    });
    expect(JSON.stringify(rows), where).toContain(index);
  }
});
