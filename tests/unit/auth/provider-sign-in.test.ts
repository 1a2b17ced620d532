import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSession } from '@/lib/auth/session';
import type { Services } from '@/lib/services';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { type OpenIdProvider, openIdProvider, type Person } from '@/tests/fixtures/openid-provider';

let auth: AuthServices;
let provider: OpenIdProvider;
let services: Services;

beforeAll(async () => {
  auth = await authServices();
  provider = await openIdProvider('sluice-client', () => Date.now());
  const env = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'sluice-client',
    OIDC_CLIENT_SECRET: 'a-client-secret',
    OIDC_NAME: 'Example',
  };
  services = servicesOn(auth.file.database, env, auth.services.clock);
  await auth.member('ada@example.com', 'operator');
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  auth[Symbol.dispose]();
});

/** Goes to the provider and comes back; answers where the browser is led in the end. */
async function comeIn(jar: BrowserJar, person: Person, change: (back: URL) => void = () => undefined): Promise<string> {
  const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
  const { url } = (await (await jar.send('POST', '/api/auth/signin/oidc', form)).json()) as { url: string };
  const back = new URL(provider.approve(url, person));
  expect(back.origin + back.pathname).toBe('http://sluice.test/api/auth/callback/oidc');
  change(back);
  const response = await jar.send('GET', back.pathname + back.search);
  return response.headers.get('location') ?? '';
}

const session = (jar: BrowserJar) => readSession(jar.cookieHeader, services);
const ADA = { sub: 'u1', name: 'Ada', email: 'ADA@Example.com', email_verified: true };

describe('signing in with an OpenID provider', () => {
  it('lets an invited member in by a verified address', async () => {
    const jar = new BrowserJar(services);
    expect(await comeIn(jar, { claims: ADA })).toBe('http://sluice.test/');
    expect(await session(jar)).toMatchObject({ email: 'ada@example.com', role: 'operator' });
  });

  it('asks the UserInfo endpoint where the ID token tells no address', async () => {
    const jar = new BrowserJar(services);
    expect(await comeIn(jar, { claims: { sub: 'u1' }, userinfo: ADA })).toBe('http://sluice.test/');
    expect(await session(jar)).toMatchObject({ email: 'ada@example.com' });
  });

  it.each<[string, Person, string]>([
    ['somebody who is not invited', { claims: { ...ADA, email: 'eve@example.com' } }, 'AccessDenied'],
    ['an address that is not verified', { claims: { ...ADA, email_verified: false } }, 'AccessDenied'],
    ['an address that nobody says is verified', { claims: { sub: 'u1', email: ADA.email } }, 'AccessDenied'],
    ['no address', { claims: { sub: 'u1' } }, 'AccessDenied'],
    ['a look-alike address', { claims: { ...ADA, email: 'ada@example.com\uFF20evil.test' } }, 'AccessDenied'],
    ['another nonce', { claims: ADA, nonce: 'of-another-sign-in' }, 'OAuthCallback'],
    ['UserInfo about somebody else', { claims: { sub: 'u2' }, userinfo: ADA }, 'OAuthCallback'],
  ])('refuses %s', async (_why, person, error) => {
    const jar = new BrowserJar(services);
    expect(new URL(await comeIn(jar, person)).searchParams.get('error')).toBe(error);
    expect(await session(jar)).toBeNull();
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
    expect((await mine.send('GET', stolen)).headers.get('location')).toContain('error=OAuthCallback');
    expect(await session(mine)).toBeNull();
  });

  it('is not there where none is configured', async () => {
    const jar = new BrowserJar(auth.services);
    expect(Object.keys((await (await jar.send('GET', '/api/auth/providers')).json()) as object)).toEqual([
      'credentials',
    ]);
    const both = Object.keys(
      (await (await new BrowserJar(services).send('GET', '/api/auth/providers')).json()) as object,
    );
    expect(both).toEqual(['credentials', 'oidc']);
  });
});
