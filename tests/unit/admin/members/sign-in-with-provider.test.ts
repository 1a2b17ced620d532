import { Writable } from 'node:stream';
import { and, desc, eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audit, providerAccounts } from '@/drizzle/schema';
import { listMembers } from '@/lib/admin/members/list';
import { dropMember } from '@/lib/admin/members/remove';
import { changeMember } from '@/lib/admin/members/update';
import { readSession } from '@/lib/auth/session';
import { makeLogger } from '@/lib/logging/logger';
import type { Services } from '@/lib/operation/services';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { type OpenIdProvider, openIdProvider, type Person } from '@/tests/fixtures/openid-provider';

const CLIENT_SECRET = 'a-client-secret';

let auth: AuthServices;
let provider: OpenIdProvider;
let services: Services;
let ada: { id: string };
let log: string[];

/** Services with a provider, whose lines go to `log`. */
async function servicesWith(issuer: string): Promise<Services> {
  const env = {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'sluice-client',
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_NAME: 'Example',
  };
  const destination = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk));
      done();
    },
  });
  const logger = makeLogger({ level: 'info', destination });
  return { ...(await servicesOn(auth.file.database, env, auth.services.clock)), logger };
}

beforeEach(async () => {
  log = [];
  auth = await authServices();
  provider = await openIdProvider('sluice-client', () => Date.now());
  services = await servicesWith(provider.issuer);
  ada = await auth.member('ada@example.com', 'operator');
});
afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  auth[Symbol.dispose]();
});

/** Where the browser is led that wants to go to the provider. */
async function leave(jar: BrowserJar): Promise<string> {
  const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
  const response = await jar.send('POST', '/api/auth/signin/oidc', form);
  return ((await response.json()) as { url: string }).url;
}

/** Goes to the provider and comes back; answers where the browser is led in the end. */
async function comeIn(jar: BrowserJar, person: Person, change: (back: URL) => void = () => undefined): Promise<string> {
  const back = new URL(provider.approve(await leave(jar), person));
  expect(back.origin + back.pathname).toBe('http://sluice.test/api/auth/callback/oidc');
  change(back);
  const response = await jar.send('GET', back.pathname + back.search);
  return response.headers.get('location') ?? '';
}

const session = (jar: BrowserJar) => readSession(jar.cookieHeader, services);
const refused = (refusal: string) => `http://sluice.test/sign-in?error=${refusal}`;
const lines = () => log.map((line) => JSON.parse(line) as Record<string, unknown>);
const newestAudit = async () =>
  (await auth.file.database.drizzle.select().from(audit).orderBy(desc(audit.seq)).limit(1))[0];
const ADA = { sub: 'u1', name: 'Ada', email: 'ADA@Example.com', email_verified: true };

describe('signing in with an OpenID provider', () => {
  it('lets an invited member in by a verified address', async () => {
    const jar = new BrowserJar(services);
    expect(await comeIn(jar, { claims: ADA })).toBe('http://sluice.test/');
    expect(await session(jar)).toMatchObject({ email: 'ada@example.com', role: 'operator' });
    expect(jar.cookies.has('sluice.device')).toBe(true);
  });

  it('asks the UserInfo endpoint where the ID token tells no address', async () => {
    const jar = new BrowserJar(services);
    expect(await comeIn(jar, { claims: { sub: 'u1' }, userinfo: ADA })).toBe('http://sluice.test/');
    expect(await session(jar)).toMatchObject({ email: 'ada@example.com' });
  });

  it.each<[string, Person, string]>([
    ['somebody who is not invited', { claims: { ...ADA, email: 'eve@example.com' } }, 'NotAMember'],
    ['an address that is not verified', { claims: { ...ADA, email_verified: false } }, 'EmailNotVerified'],
    ['an address that nobody says is verified', { claims: { sub: 'u1', email: ADA.email } }, 'EmailNotVerified'],
    ['no address', { claims: { sub: 'u1' } }, 'EmailNotVerified'],
    ['a look-alike address', { claims: { ...ADA, email: 'ada@example.com\uFF20evil.test' } }, 'EmailNotVerified'],
    ['a letter that folds into another', { claims: { ...ADA, email: 'ada@e\u212Aample.com' } }, 'EmailNotVerified'],
    ['another nonce', { claims: ADA, nonce: 'of-another-sign-in' }, 'SignInExpired'],
    ['UserInfo about somebody else', { claims: { sub: 'u2' }, userinfo: ADA }, 'ProviderMisconfigured'],
  ])('refuses %s, on the page and in the log', async (_why, person, refusal) => {
    const jar = new BrowserJar(services);
    expect(await comeIn(jar, person)).toBe(refused(refusal));
    expect(await session(jar)).toBeNull();
    expect(lines()).toMatchObject([{ message: 'sign-in refused', refusal }]);
    expect(log.join()).not.toContain('of-another-sign-in');
    expect(jar.cookies.has('sluice.device')).toBe(false);
  });

  it('refuses an answer to a question that this browser has not asked', async () => {
    const [mine, theirs] = [new BrowserJar(services), new BrowserJar(services)];
    let stolen = '';
    await comeIn(theirs, { claims: ADA }, (back) => {
      stolen = back.pathname + back.search;
      back.searchParams.set('state', 'another');
    });
    expect(await session(theirs)).toBeNull();
    await mine.csrf();
    expect((await mine.send('GET', stolen)).headers.get('location')).toBe(refused('SignInExpired'));
    expect(await session(mine)).toBeNull();
    expect(log.join()).not.toContain(new URL(stolen, 'http://x').searchParams.get('state'));
  });

  it('is not there where none is configured', async () => {
    const jar = new BrowserJar(auth.services);
    expect(Object.keys((await (await jar.send('GET', '/api/auth/providers')).json()) as object)).toEqual([
      'credentials',
      'invitation',
    ]);
    const both = Object.keys(
      (await (await new BrowserJar(services).send('GET', '/api/auth/providers')).json()) as object,
    );
    expect(both).toEqual(['credentials', 'invitation', 'oidc']);
    await expect(jar.send('GET', '/api/auth/callback/oidc')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a provider that cannot be used', () => {
  it.each<[string, string, number, unknown, string]>([
    ['answers 503', '/.well-known/openid-configuration', 503, {}, 'ProviderDown'],
    ['has no configuration', '/.well-known/openid-configuration', 404, {}, 'ProviderMisconfigured'],
  ])('%s: says so before the browser leaves', async (_what, path, status, body, refusal) => {
    provider.broken.set(path, { status, body });
    expect(await leave(new BrowserJar(services))).toBe(refused(refusal));
    expect(lines()).toMatchObject([{ level: 'warn', refusal, event: 'SIGNIN_OAUTH_ERROR' }]);
  });

  it('is down: the log names the fault of the network', async () => {
    const gone = await servicesWith('http://127.0.0.1:9');
    expect(await leave(new BrowserJar(gone))).toBe(refused('ProviderDown'));
    const [line] = lines();
    expect(line).toMatchObject({ level: 'warn', refusal: 'ProviderDown', message: 'sign-in refused' });
    expect(line?.reason).toContain('ECONNREFUSED');
    expect(log.join()).not.toContain('[redacted]');
  });

  it.each<[string, string, number, unknown, string]>([
    ['refuses our secret', '/token', 401, { error: 'invalid_client' }, 'ClientRefused'],
    ['does not know the code any more', '/token', 400, { error: 'invalid_grant' }, 'SignInExpired'],
    ['breaks down over the code', '/token', 502, {}, 'ProviderDown'],
    ['shows no keys', '/jwks', 500, {}, 'ProviderDown'],
  ])('%s: says so when the browser comes back', async (_what, path, status, body, refusal) => {
    provider.broken.set(path, { status, body });
    expect(await comeIn(new BrowserJar(services), { claims: ADA })).toBe(refused(refusal));
    expect(lines()).toMatchObject([{ refusal, event: 'OAUTH_CALLBACK_ERROR' }]);
    expect(log.join()).not.toContain(CLIENT_SECRET);
  });

  it.each([
    ['access_denied', 'ProviderRefused'],
    ['temporarily_unavailable', 'ProviderDown'],
    ['unauthorized_client', 'ClientRefused'],
    ['<script>', 'ProviderMisconfigured'],
  ])('sends the browser back with the error %s', async (error, refusal) => {
    const path = `/api/auth/callback/oidc?${new URLSearchParams({ error, error_description: 'secret details' })}`;
    const response = await new BrowserJar(services).send('GET', path);
    expect([response.status, response.headers.get('location')]).toEqual([302, refused(refusal)]);
    expect(lines()).toMatchObject([{ refusal, provider: 'oidc' }]);
    expect(log.join()).not.toContain('secret details');
    expect(log.join()).not.toContain('<script>');
  });

  it('tells whose fault it is when several people sign in at a time', async () => {
    const gone = await servicesWith('http://127.0.0.1:9');
    const jars = Array.from({ length: 6 }, (_, i) => new BrowserJar(i % 2 === 0 ? gone : services));
    const urls = await Promise.all(jars.map(leave));
    for (const [i, url] of urls.entries()) {
      if (i % 2 === 0) expect(url).toBe(refused('ProviderDown'));
      else expect(url).toMatch(new RegExp(`^${provider.issuer}/authorize\\?`));
    }
  });
});

describe('a provider account', () => {
  const bound = () => auth.file.database.drizzle.select().from(providerAccounts);

  it('is bound to its member at the first sign-in, once, with an audit record', async () => {
    for (let i = 0; i < 2; i += 1)
      expect(await comeIn(new BrowserJar(services), { claims: ADA })).toBe('http://sluice.test/');
    expect(await bound()).toMatchObject([{ issuer: provider.issuer, subject: 'u1', memberId: ada.id }]);
    const records = await auth.file.database.drizzle.select().from(audit).where(eq(audit.action, 'member.bind'));
    expect(records).toMatchObject([{ actor: `member:${ada.id}`, target: ada.id }]);
    expect(JSON.parse(records[0]?.after ?? '')).toEqual({ provider: 'oidc', issuer: provider.issuer, subject: 'u1' });
  });

  it('keeps its member when its address changes, is no longer verified, or is gone', async () => {
    await comeIn(new BrowserJar(services), { claims: ADA });
    await auth.member('new@example.com', 'owner');
    for (const claims of [
      { ...ADA, email: 'new@example.com' },
      { ...ADA, email_verified: false },
      { sub: 'u1', name: 'Ada' },
    ]) {
      const jar = new BrowserJar(services);
      expect(await comeIn(jar, { claims })).toBe('http://sluice.test/');
      expect(await session(jar)).toMatchObject({ id: ada.id, email: 'ada@example.com', role: 'operator' });
    }
  });

  it('does not come in by an address that was a member’s before', async () => {
    await comeIn(new BrowserJar(services), { claims: ADA });
    log.length = 0;
    const jar = new BrowserJar(services);
    expect(await comeIn(jar, { claims: { ...ADA, sub: 'u2' } })).toBe(refused('AnotherAccount'));
    expect(await session(jar)).toBeNull();
    expect(lines()).toMatchObject([{ level: 'warn', refusal: 'AnotherAccount', provider: 'oidc', member: ada.id }]);
    const record = await newestAudit();
    expect(record).toMatchObject({ actor: 'anonymous', action: 'member.refuse_sign_in', target: ada.id });
    expect(JSON.parse(record?.after ?? '')).toEqual({ provider: 'oidc', issuer: provider.issuer, subject: 'u2' });
    expect(await bound()).toHaveLength(1);
  });

  it('is bound once when it signs in twice at the same time', async () => {
    const jars = Array.from({ length: 4 }, () => new BrowserJar(services));
    const ends = await Promise.all(jars.map((jar) => comeIn(jar, { claims: ADA })));
    expect(new Set(ends)).toEqual(new Set(['http://sluice.test/']));
    expect(await bound()).toHaveLength(1);
  });

  it('is first come, first served, when two accounts with one address sign in at the same time', async () => {
    const other = { ...services, database: auth.file.reopen() };
    const ends = await Promise.all([
      comeIn(new BrowserJar(services), { claims: ADA }),
      comeIn(new BrowserJar(other), { claims: { ...ADA, sub: 'u2' } }),
    ]);
    expect(ends.sort()).toEqual(['http://sluice.test/', refused('AnotherAccount')]);
    expect(await bound()).toHaveLength(1);
  });

  it('is another at each issuer', async () => {
    const second = await openIdProvider('sluice-client', () => Date.now());
    try {
      await comeIn(new BrowserJar(services), { claims: ADA });
      const jar = new BrowserJar(await servicesWith(second.issuer));
      const back = new URL(second.approve(await leave(jar), { claims: { ...ADA, sub: 'u2' } }));
      const response = await jar.send('GET', back.pathname + back.search);
      expect(response.headers.get('location')).toBe('http://sluice.test/');
      expect(await bound()).toHaveLength(2);
    } finally {
      await second[Symbol.asyncDispose]();
    }
  });

  it('is shown with its member, and unbound by an owner: the next account is bound, and sessions end', async () => {
    const jar = new BrowserJar(services);
    await comeIn(jar, { claims: ADA });
    const list = await listMembers.run(auth.context(), { params: {}, query: { sort: 'email' }, body: undefined });
    expect((list as { value: unknown }).value).toMatchObject([
      { id: ada.id, provider_accounts: [{ issuer: provider.issuer, subject: 'u1' }] },
    ]);
    const changed = await changeMember(auth.context(), { id: ada.id }, { provider_accounts: [] });
    expect(changed.provider_accounts).toEqual([]);
    const record = await newestAudit();
    expect(record).toMatchObject({ action: 'member.unbind', target: ada.id });
    expect(JSON.parse(record?.before ?? '')).toMatchObject({ provider_accounts: [{ subject: 'u1' }] });
    expect(JSON.parse(record?.after ?? '')).toMatchObject({ provider_accounts: [] });
    expect(await session(jar)).toBeNull();
    expect(await comeIn(jar, { claims: { ...ADA, sub: 'u2' } })).toBe('http://sluice.test/');
    expect(await session(jar)).toMatchObject({ id: ada.id });
    expect(await comeIn(new BrowserJar(services), { claims: ADA })).toBe(refused('AnotherAccount'));
  });

  it('goes with its member, and comes back with another that is invited by the same address', async () => {
    await auth.member('root@example.com', 'owner');
    await comeIn(new BrowserJar(services), { claims: ADA });
    await dropMember(auth.context(), { id: ada.id });
    expect(await bound()).toEqual([]);
    expect(await comeIn(new BrowserJar(services), { claims: ADA })).toBe(refused('NotAMember'));
    const again = await auth.member('ada@example.com', 'viewer');
    const jar = new BrowserJar(services);
    expect(await comeIn(jar, { claims: ADA })).toBe('http://sluice.test/');
    expect(await session(jar)).toMatchObject({ id: again.id, role: 'viewer' });
    const rows = await auth.file.database.drizzle
      .select()
      .from(providerAccounts)
      .where(and(eq(providerAccounts.memberId, again.id), eq(providerAccounts.subject, 'u1')));
    expect(rows).toHaveLength(1);
  });
});
