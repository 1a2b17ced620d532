import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { audit, invitations, providerAccounts } from '@/drizzle/schema';
import { tidy } from '@/lib/admin/housekeeping/tidy';
import { acceptInvitation } from '@/lib/admin/members/accept-invitation';
import { createInvitation } from '@/lib/admin/members/create-invitation';
import { inviteMember } from '@/lib/admin/members/invite';
import { listMembers } from '@/lib/admin/members/list';
import { dropMember } from '@/lib/admin/members/remove';
import { signInWithProvider } from '@/lib/admin/members/sign-in-with-provider';
import { readSession } from '@/lib/auth/session';
import type { Member } from '@/lib/contract/members';
import { createSystemContext } from '@/lib/operation/context';
import type { Reply } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';

const HOUR = 3_600_000;
const PASSWORD = 'a password of my own';
const OIDC = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'sluice', OIDC_CLIENT_SECRET: 'secret' };

let auth: AuthServices;
beforeEach(async () => {
  auth = await authServices();
  onTestFinished(() => auth[Symbol.dispose]());
});

interface Link {
  url: string;
  expires_at: string;
}

async function invited(email = 'ada@example.com', more: object = {}) {
  const body = { email, role: 'viewer', ...more } as const;
  const made = (await inviteMember.run(auth.context(), { params: {}, query: {}, body })) as Member & {
    invitation: Link | null;
  };
  return { ...made, token: tokenOf(made.invitation) };
}

const tokenOf = (link: Link | null) => (link === null ? '' : new URL(link.url).hash.slice(1));

async function newLink(id: string): Promise<string> {
  return tokenOf((await createInvitation.run(auth.context(), { params: { id }, query: {}, body: undefined })) as Link);
}

const accept = (token: string, password = PASSWORD, services: Services = auth.services) =>
  acceptInvitation(createSystemContext(services), {
    token,
    password,
    code: undefined,
    address: null,
    deviceCookie: null,
  });

/** The members as processes with this environment list them. */
async function members(env: Record<string, string> = {}): Promise<Member[]> {
  const services = await servicesOn(auth.file.database, env, auth.services.clock);
  const answer = await listMembers.run(createSystemContext(services), {
    params: {},
    query: {},
    body: undefined,
  } as never);
  return (answer as Reply<Member[]>).value;
}

describe('an invitation', () => {
  it('works until 72 hours have passed, and then is swept away', async () => {
    const [late, inTime] = [await invited('late@example.com'), await invited('in-time@example.com')];
    auth.pass(72 * HOUR - 1);
    expect(await accept(inTime.token)).toMatchObject({ kind: 'member' });
    auth.pass(1);
    expect(await accept(late.token)).toEqual({ kind: 'gone' });
    const [state] = (await members()).filter(({ id }) => id === late.id);
    expect(state).toMatchObject({ state: 'cannot_sign_in', invitation_expires_at: null });
    auth.pass(1);
    await tidy(auth.services);
    expect(await auth.file.database.drizzle.$count(invitations)).toBe(0);
  });

  it('is kept as a hash only', async () => {
    const { token } = await invited();
    const rows = JSON.stringify([
      await auth.file.database.drizzle.select().from(invitations),
      await auth.file.database.drizzle.select().from(audit),
    ]);
    expect(token).toMatch(/^sli_[\w-]{43}$/);
    expect(rows).not.toContain(token);
    expect(rows).not.toContain(token.slice(4));
  });

  it('opens the account for exactly one of many, at several processes', async () => {
    const { token } = await invited();
    const others = await Promise.all([1, 2].map(() => servicesOn(auth.file.database, {}, auth.services.clock)));
    const processes = [auth.services, ...others];
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, (_, hand) => accept(token, `password of hand ${hand}`, processes[hand % 3])),
    );
    const kinds = outcomes.map(({ kind }) => kind).sort();
    expect(kinds).toEqual(['gone', 'gone', 'gone', 'gone', 'gone', 'member']);
    const winner = outcomes.findIndex(({ kind }) => kind === 'member');
    const jar = new BrowserJar(auth.services);
    expect((await jar.signIn('ada@example.com', `password of hand ${winner}`)).status).toBe(200);
    const accepted = (await auth.file.database.drizzle.select().from(audit)).filter(
      ({ action }) => action === 'member.accept_invitation',
    );
    expect(accepted).toHaveLength(1);
  });

  it('signs in at once, ends all sessions of before and names the member in the audit log', async () => {
    const ada = await auth.member('ada@example.com', 'owner', 'the old password');
    const before = new BrowserJar(auth.services);
    await before.signIn('ada@example.com', 'the old password');
    const token = await newLink(ada.id);
    const jar = new BrowserJar(auth.services);
    const form = { token, password: PASSWORD, csrfToken: await jar.csrf(), json: 'true' };
    expect((await jar.send('POST', '/api/auth/callback/invitation', form)).status).toBe(200);
    expect(await readSession(jar.cookieHeader, auth.services)).toMatchObject({ id: ada.id });
    expect(await readSession(before.cookieHeader, auth.services)).toBeNull();
    const records = await auth.file.database.drizzle.select().from(audit);
    expect(records.at(-1)).toMatchObject({ action: 'member.accept_invitation', actor: `member:${ada.id}` });
  });

  it('ends when the member signs in with a provider, or is removed', async () => {
    const first = await invited();
    const context = { ...auth.context() };
    await signInWithProvider(context, 'oidc', {
      issuer: 'https://id.example',
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      claimed: null,
    });
    expect(await accept(first.token)).toEqual({ kind: 'gone' });
    const second = await invited('bob@example.com');
    await dropMember(auth.context(), { id: second.id });
    expect(await accept(second.token)).toEqual({ kind: 'gone' });
    expect(await auth.file.database.drizzle.$count(invitations)).toBe(0);
  });

  it.each(['', 'short', 'x'.repeat(1025), 'half a pair \ud800'])(
    'takes no password like %j, and stays',
    async (weak) => {
      const { token } = await invited();
      expect(await accept(token, weak)).toMatchObject({ kind: 'weak' });
      expect(await accept(token)).toMatchObject({ kind: 'member' });
    },
  );
});

describe('the state of a member', () => {
  it('is `invited` while something can still sign them in for the first time', async () => {
    await invited('link@example.com');
    await invited('nothing@example.com', { invitation: false });
    await invited('password@example.com', { password: PASSWORD });
    const states = async (env?: Record<string, string>) =>
      Object.fromEntries((await members(env)).map(({ email, state }) => [email.split('@')[0], state]));
    expect(await states()).toEqual({ link: 'invited', nothing: 'cannot_sign_in', password: 'active' });
    expect(await states(OIDC)).toEqual({ link: 'invited', nothing: 'invited', password: 'active' });
  });

  it('is `active` with a bound account only while a provider is configured', async () => {
    const { id } = await invited('ada@example.com', { invitation: false });
    const row = { issuer: 'https://id.example', subject: 'ada', memberId: id, boundAt: 0 };
    await auth.file.database.drizzle.insert(providerAccounts).values(row);
    expect((await members(OIDC))[0]?.state).toBe('active');
    expect((await members())[0]?.state).toBe('cannot_sign_in');
  });

  it('decides whether adding makes a link', async () => {
    const body = { email: 'eve@example.com', role: 'viewer' } as const;
    const services = await servicesOn(auth.file.database, OIDC, auth.services.clock);
    const withProvider = await inviteMember.run(createSystemContext(services), { params: {}, query: {}, body });
    expect(withProvider).toMatchObject({ state: 'invited', invitation: null });
    expect((await invited('ada@example.com', { password: PASSWORD })).invitation).toBeNull();
    expect((await invited('bob@example.com')).invitation).toMatchObject({ url: expect.any(String) });
  });
});
