import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audit } from '@/drizzle/schema';
import { changeMember } from '@/lib/admin/members/update';
import { readClaimedRole } from '@/lib/auth/next-auth/role-claim';
import { readSession } from '@/lib/auth/session';
import { makeLogger } from '@/lib/logging/logger';
import type { Services } from '@/lib/operation/services';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { openIdProvider } from '@/tests/fixtures/openid-provider';
import { STAFF_CLIENT, type Staff, type StaffProvider, staffProvider } from '@/tests/fixtures/staff-provider';

const REDIRECT_URI = 'http://sluice.test/api/auth/callback/oidc';
const ADA = { name: 'Ada', email: 'ada@example.com', email_verified: true };

let auth: AuthServices;
let log: Record<string, unknown>[];
const ended: (() => unknown)[] = [];
beforeEach(async () => {
  log = [];
  auth = await authServices();
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  auth[Symbol.dispose]();
});

async function provides(staff: Staff, options?: { inIdToken: boolean }): Promise<StaffProvider> {
  const provider = await staffProvider(staff, [REDIRECT_URI], options);
  ended.push(() => provider[Symbol.asyncDispose]());
  return provider;
}

async function servicesFor(issuer: string, env: Record<string, string>): Promise<Services> {
  const configured = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: STAFF_CLIENT.id,
    OIDC_CLIENT_SECRET: STAFF_CLIENT.secret,
    OIDC_SCOPE: 'openid email profile groups',
    ...env,
  };
  const destination = new Writable({
    write(line, _encoding, done) {
      log.push(JSON.parse(String(line)));
      done();
    },
  });
  const logger = makeLogger({ level: 'info', destination });
  return { ...(await servicesOn(auth.file.database, configured, auth.services.clock)), logger };
}

/** Goes to the provider and comes back; answers where the browser is led in the end. */
async function signIn(jar: BrowserJar, at: (url: string) => string | Promise<string>): Promise<string> {
  const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
  const left = (await (await jar.send('POST', '/api/auth/signin/oidc', form)).json()) as { url: string };
  if (!left.url.startsWith('http://127.0.0.1')) return left.url;
  const back = new URL(await at(left.url));
  return (await jar.send('GET', back.pathname + back.search)).headers.get('location') ?? '';
}

const CLAIM = { OIDC_ROLE_CLAIM: 'groups', OIDC_ROLE_MAP: '{"sre":"operator","leads":"owner"}' };
const actions = async () => (await auth.file.database.drizzle.select().from(audit)).map(({ action }) => action);

describe('the role of a claim', () => {
  const map = { a: 'viewer', b: 'owner' } as const;
  it.each([
    [{ groups: ['a', 'b', 'c'] }, 'groups', 'owner'],
    [{ groups: 'a' }, 'groups', 'viewer'],
    [{ groups: ['c'] }, 'groups', null],
    [{ groups: { a: true } }, 'groups', null],
    [{ groups: ['toString', '__proto__'] }, 'groups', null],
    [{}, 'groups', null],
    [{ 'https://example.com/roles': ['a'] }, 'https://example.com/roles', 'viewer'],
    [{ realm_access: { roles: ['b'] } }, 'realm_access.roles', 'owner'],
    [{ 'a.b': { c: ['a'] } }, 'a.b.c', 'viewer'],
  ])('in %j at %s is %s', (claims, claim, role) => {
    expect(readClaimedRole(claims, { claim, map }).role).toBe(role);
  });

  it('is the value itself without a map', () => {
    expect(readClaimedRole({ role: 'operator' }, { claim: 'role', map: undefined }).role).toBe('operator');
    expect(readClaimedRole({ role: 'gateway' }, { claim: 'role', map: undefined }).role).toBeNull();
  });
});

describe('a sign-in where a claim gives roles', () => {
  it.each([true, false])('reads it in the ID token (%s) or at the UserInfo endpoint', async (inIdToken) => {
    const { issuer, signIn: at } = await provides(
      { ada: { ...ADA, realm_access: { roles: ['owner'] } } },
      { inIdToken },
    );
    const services = await servicesFor(issuer, { OIDC_ROLE_CLAIM: 'realm_access.roles' });
    const jar = new BrowserJar(services);
    expect(await signIn(jar, (url) => at('ada', url))).toBe('http://sluice.test/');
    const session = await readSession(jar.cookieHeader, services);
    expect(session).toMatchObject({ email: 'ada@example.com', name: 'Ada', role: 'owner' });
    expect(await actions()).toEqual(['member.join', 'member.bind']);
  });

  it('gives an invited member the role of the claim, in place of that of the invitation', async () => {
    await auth.member('root@example.com', 'owner');
    const ada = await auth.member('ada@example.com', 'owner');
    const { issuer, signIn: at } = await provides({ ada: { ...ADA, groups: ['sre'] } });
    const services = await servicesFor(issuer, CLAIM);
    const jar = new BrowserJar(services);
    expect(await signIn(jar, (url) => at('ada', url))).toBe('http://sluice.test/');
    expect(await readSession(jar.cookieHeader, services)).toMatchObject({ id: ada.id, role: 'operator' });
    expect((await actions()).slice(2)).toEqual(['member.follow_claim', 'member.bind']);
  });

  it('refuses an invited member whom the claim gives none', async () => {
    await auth.member('root@example.com', 'owner');
    await auth.member('ada@example.com', 'viewer');
    const { issuer, signIn: at } = await provides({ ada: { ...ADA, groups: ['other'] } });
    const jar = new BrowserJar(await servicesFor(issuer, CLAIM));
    expect(await signIn(jar, (url) => at('ada', url))).toBe('http://sluice.test/sign-in?error=NoRole');
    expect(log).toMatchObject([{ refusal: 'NoRole', claim: 'groups', values: ['other'] }]);
    expect((await actions()).at(-1)).toBe('member.refuse_sign_in');
  });

  it.each([{ groups: [] }, { groups: ['sre'] }])('never takes the role of the last owner: %j', async (claims) => {
    const ada = await auth.member('ada@example.com', 'owner');
    const { issuer, signIn: at } = await provides({ ada: { ...ADA, ...claims } });
    const services = await servicesFor(issuer, CLAIM);
    for (const _first of [true, false]) {
      const jar = new BrowserJar(services);
      expect(await signIn(jar, (url) => at('ada', url))).toBe('http://sluice.test/');
      expect(await readSession(jar.cookieHeader, services)).toMatchObject({ id: ada.id, role: 'owner' });
    }
    const warnings = log.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([{ member: ada.id, claim: 'groups', ...{ values: claims.groups } }, {}]);
    await auth.member('another@example.com', 'owner');
    const role = claims.groups.length === 0 ? 'NoRole' : 'operator';
    const jar = new BrowserJar(services);
    const target = await signIn(jar, (url) => at('ada', url));
    if (role === 'NoRole') expect(target).toBe('http://sluice.test/sign-in?error=NoRole');
    else expect(await readSession(jar.cookieHeader, services)).toMatchObject({ role });
  });

  it('overwrites a role that was changed by hand', async () => {
    await auth.member('root@example.com', 'owner');
    const { issuer, signIn: at } = await provides({ ada: { ...ADA, groups: ['sre'] } });
    const services = await servicesFor(issuer, CLAIM);
    const jar = new BrowserJar(services);
    await signIn(jar, (url) => at('ada', url));
    await changeMember(auth.context(), { email: 'ada@example.com' }, { role: 'owner' });
    await signIn(jar, (url) => at('ada', url));
    expect(await readSession(jar.cookieHeader, services)).toMatchObject({ role: 'operator' });
  });

  it('makes one member of a person who signs in several times at once', async () => {
    const { issuer, signIn: at } = await provides({ ada: { ...ADA, groups: ['sre'] } });
    const services = await servicesFor(issuer, CLAIM);
    const jars = Array.from({ length: 4 }, () => new BrowserJar(services));
    const targets = await Promise.all(jars.map((jar) => signIn(jar, (url) => at('ada', url))));
    expect(new Set(targets)).toEqual(new Set(['http://sluice.test/']));
    expect(await actions()).toEqual(['member.join', 'member.bind']);
  });
});

describe('a provider that is set up wrongly', () => {
  it('does not accept the secret: the log names the variables', async () => {
    const { issuer, signIn: at } = await provides({ ada: ADA });
    const jar = new BrowserJar(await servicesFor(issuer, { OIDC_CLIENT_SECRET: 'another secret' }));
    expect(await signIn(jar, (url) => at('ada', url))).toBe('http://sluice.test/sign-in?error=ClientRefused');
    expect(log).toMatchObject([
      {
        level: 'warn',
        reason: expect.stringContaining('invalid_client'),
        advice: expect.stringContaining('OIDC_CLIENT_SECRET'),
      },
    ]);
  });

  it('has no metadata there: the log names the issuer', async () => {
    const { issuer } = await provides({});
    const jar = new BrowserJar(await servicesFor(`${issuer}/elsewhere`, {}));
    expect(await signIn(jar, () => '')).toBe('http://sluice.test/sign-in?error=ProviderMisconfigured');
    expect(log).toMatchObject([
      { reason: expect.stringContaining('404'), advice: expect.stringContaining('OIDC_ISSUER') },
    ]);
  });

  it('does not know a scope: the log names the variable', async () => {
    const { issuer, signIn: at } = await provides({ ada: ADA });
    const jar = new BrowserJar(await servicesFor(issuer, { OIDC_SCOPE: 'openid email no-such-scope' }));
    const target = await signIn(jar, (url) => at('ada', url));
    // Some providers leave out the scopes that they do not know.
    expect(['NotAMember', 'ProviderMisconfigured']).toContain(new URL(target).searchParams.get('error'));
    await jar.send('GET', '/api/auth/callback/oidc?error=invalid_scope');
    expect(log.at(-1)).toMatchObject({ advice: expect.stringContaining('OIDC_SCOPE') });
  });

  it('lives in another time: the log says what to do about the clocks', async () => {
    const provider = await openIdProvider(STAFF_CLIENT.id, () => Date.now() - 3_600_000);
    ended.push(() => provider[Symbol.asyncDispose]());
    const jar = new BrowserJar(await servicesFor(provider.issuer, {}));
    const person = { claims: { sub: 'ada', ...ADA } };
    const target = await signIn(jar, (url) => provider.approve(url, person));
    expect(target).toBe('http://sluice.test/sign-in?error=ClocksDiffer');
    expect(log).toMatchObject([
      { reason: expect.stringContaining('JWT expired'), advice: expect.stringContaining('NTP') },
    ]);
  });
});
