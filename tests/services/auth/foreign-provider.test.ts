import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessions } from '@/drizzle/schema';
import { readSession } from '@/lib/auth/session';
import type { Services } from '@/lib/operation/services';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { STAFF_CLIENT, type StaffProvider, staffProvider } from '@/tests/fixtures/staff-provider';

const CALLBACK = 'http://sluice.test/api/auth/callback/oidc';
const STAFF = { ada: { name: 'Ada', email: 'ada@example.com', email_verified: true } };

let auth: AuthServices;
let services: Services;
let provider: StaffProvider;
let other: StaffProvider;

beforeEach(async () => {
  auth = await authServices();
  provider = await staffProvider(STAFF, [CALLBACK], { inIdToken: true });
  other = await staffProvider(STAFF, [CALLBACK], { inIdToken: true });
  const oidc = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: STAFF_CLIENT.id,
    OIDC_CLIENT_SECRET: STAFF_CLIENT.secret,
  };
  services = await servicesOn(auth.file.database, oidc, auth.services.clock);
  await auth.member('ada@example.com', 'operator');
});
afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
  auth[Symbol.dispose]();
});

/** Where a browser is sent to sign in. */
async function leave(jar: BrowserJar): Promise<URL> {
  const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
  const response = await jar.send('POST', '/api/auth/signin/oidc', form);
  return new URL(((await response.json()) as { url: string }).url);
}

/** Returns to Sluice from a provider, and resolves to the page that the browser is led to. */
async function comeBack(jar: BrowserJar, back: URL): Promise<string> {
  const response = await jar.send('GET', back.pathname + back.search);
  return response.headers.get('location') ?? '';
}

const signIn = async (at: StaffProvider, url: URL) => new URL(await at.signIn('ada', url.href));
const hasSession = async (jar: BrowserJar) => (await readSession(jar.cookieHeader, services)) !== null;
const countSessions = () => auth.file.database.drizzle.$count(sessions);

describe('a sign-in with a provider that nobody here wrote', () => {
  it('lets a member in', async () => {
    const jar = new BrowserJar(services);
    expect(await comeBack(jar, await signIn(provider, await leave(jar)))).toBe('http://sluice.test/');
    expect(await hasSession(jar)).toBe(true);
  });

  it.each<[string, (back: URL) => void]>([
    ['no state', (back) => back.searchParams.delete('state')],
    ['an empty state', (back) => back.searchParams.set('state', '')],
    ['another state', (back) => back.searchParams.set('state', 'another')],
    ['no code', (back) => back.searchParams.delete('code')],
    ['another code', (back) => back.searchParams.set('code', 'another')],
    ['another issuer', (back) => back.searchParams.set('iss', other.issuer)],
    ['no issuer', (back) => back.searchParams.delete('iss')],
  ])('is refused when it comes back with %s', async (_, change) => {
    const jar = new BrowserJar(services);
    const back = await signIn(provider, await leave(jar));
    change(back);
    expect(await comeBack(jar, back)).toMatch(/^http:\/\/sluice\.test\/sign-in\?error=\w+$/);
    expect([await hasSession(jar), await countSessions()]).toEqual([false, 0]);
  });

  it.each<[string, (url: URL) => void]>([
    ['another nonce', (url) => url.searchParams.set('nonce', 'another')],
    ['no nonce', (url) => url.searchParams.delete('nonce')],
    [
      'another code challenge',
      (url) => url.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
    ],
  ])('is refused when it was asked for with %s', async (_, change) => {
    const jar = new BrowserJar(services);
    const url = await leave(jar);
    change(url);
    expect(await comeBack(jar, await signIn(provider, url))).toMatch(/sign-in\?error=\w+$/);
    expect([await hasSession(jar), await countSessions()]).toEqual([false, 0]);
  });

  it('is refused the second time, with the cookies of the first', async () => {
    const jar = new BrowserJar(services);
    const back = await signIn(provider, await leave(jar));
    const replayed = new BrowserJar(services);
    for (const [name, value] of jar.cookies) replayed.cookies.set(name, value);
    expect(await comeBack(jar, back)).toBe('http://sluice.test/');
    expect(await comeBack(jar, back)).toMatch(/sign-in\?error=\w+$/);
    expect(await comeBack(replayed, back)).toMatch(/sign-in\?error=\w+$/);
    expect([await hasSession(replayed), await countSessions()]).toEqual([false, 1]);
  });

  it('is refused in a browser that has begun another', async () => {
    const [theirs, mine] = [new BrowserJar(services), new BrowserJar(services)];
    const back = await signIn(provider, await leave(theirs));
    await leave(mine);
    expect(await comeBack(mine, back)).toMatch(/sign-in\?error=\w+$/);
    expect([await hasSession(mine), await countSessions()]).toEqual([false, 0]);
  });

  it.each<[string, (back: URL) => void]>([
    ['names itself', () => undefined],
    ['names the right one', (back) => back.searchParams.set('iss', provider.issuer)],
    ['names none', (back) => back.searchParams.delete('iss')],
  ])('is refused with the code of another provider that %s (mix-up)', async (_, change) => {
    const jar = new BrowserJar(services);
    const url = await leave(jar);
    const elsewhere = new URL(url.pathname + url.search, other.issuer);
    const back = await signIn(other, elsewhere);
    change(back);
    expect(await comeBack(jar, back)).toMatch(/sign-in\?error=\w+$/);
    expect([await hasSession(jar), await countSessions()]).toEqual([false, 0]);
  });
});
