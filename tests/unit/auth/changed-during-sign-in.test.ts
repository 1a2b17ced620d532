import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sessions } from '@/drizzle/schema';
import { endMemberSessions } from '@/lib/admin/members/end-sessions';
import { resetOwner } from '@/lib/admin/members/reset-owner';
import { changeMember } from '@/lib/admin/members/update';
import { changeOwnPassword } from '@/lib/admin/session/change-password';
import type { Database } from '@/lib/db/database';
import { type AuthServices, authServices } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';

const ADA = 'ada@example.com';
const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'a wholly different passphrase';

let auth: AuthServices;
let ada: { id: string };

beforeEach(async () => {
  auth = await authServices();
  onTestFinished(() => auth[Symbol.dispose]());
  ada = await auth.member(ADA, 'owner', PASSWORD);
  await auth.member('bob@example.com', 'owner', 'the password of another one');
});

/** Services that make a change after a password was verified, before the session begins. */
function servicesWithChange(change: () => Promise<unknown>): AuthServices['services'] {
  const { counters } = auth.services;
  const clear: typeof counters.clear = () => ({ kind: 'action', run: async () => void (await change()) });
  return { ...auth.services, counters: new Proxy(counters, { get: (on, name) => readMember(on, name, clear) }) };
}

function readMember(on: object, name: string | symbol, clear: unknown): unknown {
  const value: unknown = Reflect.get(on, name);
  if (name === 'clear') return clear;
  return typeof value === 'function' ? value.bind(on) : value;
}

const context = () => ({ ...auth.context(), requestId: 'another-request' });
const nothing = { query: {}, body: undefined };
const reset = (database: Database) =>
  resetOwner({ ...auth.services, database, origin: 'http://sluice.test' }, { email: ADA, secondFactor: false });

describe('a change while its member signs in', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a new password', () => changeMember(context(), { id: ada.id }, { password: NEW_PASSWORD })],
    ['a reset on the server', () => reset(auth.file.database)],
    ['the end of all sessions', async () => endMemberSessions.run(context(), { params: { id: ada.id }, ...nothing })],
    ['another provider account', () => changeMember(context(), { id: ada.id }, { provider_accounts: [] })],
  ])('%s: no session of the earlier password remains', async (_, change) => {
    const jar = new BrowserJar(servicesWithChange(change));
    await expect(jar.signIn(ADA, PASSWORD)).rejects.toMatchObject({ code: 'conflict' });
    expect(await auth.file.database.drizzle.$count(sessions)).toBe(0);
  });

  it('a change of another member does not disturb it', async () => {
    const jar = new BrowserJar(
      servicesWithChange(() => changeMember(context(), { email: 'bob@example.com' }, { name: 'Bob' })),
    );
    expect((await jar.signIn(ADA, PASSWORD)).status).toBe(200);
    expect(await auth.file.database.drizzle.$count(sessions)).toBe(1);
  });
});

it('a password that was proven before a reset changes nothing after it', async () => {
  const services = servicesWithChange(() => reset(auth.file.database));
  const actor = { id: `member:${ada.id}`, name: ADA, role: 'owner' } as const;
  const own = { ...context(), services, actor };
  const body = { current_password: PASSWORD, new_password: NEW_PASSWORD };
  const changed = Promise.resolve(changeOwnPassword.run(own, { params: {}, query: {}, body }));
  await expect(changed).rejects.toMatchObject({ code: 'conflict' });
  expect((await new BrowserJar(auth.services).signIn(ADA, NEW_PASSWORD)).status).toBe(401);
});
