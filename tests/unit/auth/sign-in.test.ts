import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dropMember } from '@/lib/admin/members/remove';
import { changeOwnPassword } from '@/lib/admin/session/change-password';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { readSession, SESSION_ABSOLUTE, SESSION_IDLE } from '@/lib/auth/session';
import { FAILURE_WINDOW, FAILURES_PER_ACCOUNT, FAILURES_PER_ADDRESS } from '@/lib/auth/sign-in-throttle';
import { StoreUnavailable } from '@/lib/counters/store';
import { ApiError } from '@/lib/http/api-error';
import { type AuthServices, authServices, changeRole, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';

const ADA = 'ada@example.com';
const BOB = 'bob@example.com';
const PASSWORD = 'correct horse battery staple';

let auth: AuthServices;
let ada: { id: string };

beforeEach(async () => {
  auth = await authServices();
  ada = await auth.member(ADA, 'owner', PASSWORD);
  await auth.member(BOB, 'owner', 'another password');
  onTestFinished(() => auth[Symbol.dispose]());
});

const session = (jar: BrowserJar) => readSession(jar.cookieHeader, auth.services);
const errorOf = async (response: Response) =>
  new URL(((await response.json()) as { url: string }).url).searchParams.get('error');

describe('signing in with a password', () => {
  it('gives a cookie that names the member, whatever the letter case of the address', async () => {
    const jar = new BrowserJar(auth.services);
    const response = await jar.signIn(' ADA@Example.com ', PASSWORD);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: 'http://sluice.test/' });
    expect(await session(jar)).toMatchObject({ id: ada.id, email: ADA, role: 'owner' });
    const cookie =
      response.headers.getSetCookie().find((header) => header.startsWith('next-auth.session-token=')) ?? '';
    expect(cookie).toMatch(/; HttpOnly/i);
    expect(cookie).toMatch(/; SameSite=Lax/i);
    expect(cookie).not.toMatch(/; Secure/i);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('answers a wrong password, an unknown account and an account without a password alike', async () => {
    await auth.member('invited@example.com', 'viewer');
    const answers = [];
    for (const email of [ADA, 'nobody@example.com', 'invited@example.com', 'no address at all', '']) {
      const response = await new BrowserJar(auth.services).signIn(email, 'wrong password');
      answers.push([response.status, await response.json()]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toEqual([
      401,
      {
        error: 'unauthorized',
        error_description: 'Wrong e-mail or password.',
        url: 'http://sluice.test/api/auth/error?error=CredentialsSignin&provider=credentials',
      },
    ]);
  });

  it('leads a form without script back to the sign-in page', async () => {
    const jar = new BrowserJar(auth.services);
    const form = { email: ADA, password: 'wrong', csrfToken: await jar.csrf() };
    const refused = await jar.send('POST', '/api/auth/callback/credentials', form);
    expect([refused.status, refused.headers.get('location')]).toEqual([
      302,
      'http://sluice.test/api/auth/error?error=CredentialsSignin&provider=credentials',
    ]);
    const error = await jar.send('GET', '/api/auth/error?error=CredentialsSignin&provider=credentials');
    expect(error.headers.get('location')).toBe('http://sluice.test/api/auth/signin?error=CredentialsSignin');
    const page = await jar.send('GET', '/api/auth/signin?error=CredentialsSignin');
    expect(page.headers.get('location')).toMatch(/^\/sign-in\?callbackUrl=.*&error=CredentialsSignin$/);
  });

  it('takes a new session id each time, and ends the one before', async () => {
    const jar = new BrowserJar(auth.services);
    await jar.signIn(ADA, PASSWORD);
    const first = jar.cookieHeader;
    const before = await session(jar);
    await jar.signIn(ADA, PASSWORD);
    const after = await session(jar);
    expect(after?.sessionId).not.toBe(before?.sessionId);
    expect(await readSession(first, auth.services)).toBeNull();
  });

  it('needs the CSRF token of the form', async () => {
    const jar = new BrowserJar(auth.services);
    const form = { email: ADA, password: PASSWORD, csrfToken: 'made-up', json: 'true' };
    await expect(jar.send('POST', '/api/auth/callback/credentials', form)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await session(jar)).toBeNull();
  });

  it.each([
    ['origin', 'http://evil.test'],
    ['sec-fetch-site', 'cross-site'],
  ])('refuses %s: %s', async (name, value) => {
    await expect(new BrowserJar(auth.services).signIn(ADA, PASSWORD, { [name]: value })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it("believes no stranger's X-Forwarded-Host", async () => {
    const jar = new BrowserJar(auth.services);
    const forged = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' };
    const response = await jar.signIn(ADA, PASSWORD, forged);
    expect(await response.json()).toEqual({ url: 'http://sluice.test/' });
  });

  it('never leads to another site', async () => {
    const jar = new BrowserJar(auth.services);
    for (const callbackUrl of ['http://evil.test/', '//evil.test', 'javascript:alert(1)', 'http://[', '/\\evil.test']) {
      const form = { email: ADA, password: PASSWORD, csrfToken: await jar.csrf(), callbackUrl, json: 'true' };
      const response = await jar.send('POST', '/api/auth/callback/credentials', form);
      expect(((await response.json()) as { url: string }).url).toMatch(/^http:\/\/sluice\.test(\/|$)/);
    }
  });

  it.each([
    ...['', 'x', '.', '.evil.test', '@evil.test', ' //evil.test', '\u0001//evil.test', '?', '#', '%'],
    ...[
      'http:',
      'http:x',
      'http://[',
      '//[',
      '/\\',
      'javascript:x',
      'data:x',
      'about:blank',
      '__proto__',
      '\ud800',
      'x'.repeat(300),
    ],
  ])('ignores a callback URL that it cannot use: %j', async (callbackUrl) => {
    const query = new URLSearchParams({ callbackUrl });
    for (const action of ['session', 'csrf', 'providers', 'signin', 'signout', 'error']) {
      const byQuery = await new BrowserJar(auth.services).send('GET', `/api/auth/${action}?${query}`);
      const cookie = {
        cookie: `next-auth.callback-url=${new URLSearchParams([['', callbackUrl]]).toString().slice(1)}`,
      };
      const byCookie = await new BrowserJar(auth.services).send('GET', `/api/auth/${action}`, undefined, cookie);
      for (const answer of [byQuery, byCookie]) {
        expect([200, 302]).toContain(answer.status);
        expect(answer.headers.get('location') ?? '/').not.toMatch(/error=Configuration|^(?!http:\/\/sluice\.test|\/)/);
      }
    }
  });

  it('refuses what is no part of it', async () => {
    const jar = new BrowserJar(auth.services);
    await expect(jar.send('POST', '/api/auth/_log', { level: 'error' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(jar.send('GET', '/api/auth/verify-request')).rejects.toMatchObject({ code: 'not_found' });
    await expect(jar.send('POST', '/api/auth/providers', {})).rejects.toMatchObject({ code: 'method_not_allowed' });
    await expect(jar.send('DELETE', '/api/auth/session')).rejects.toMatchObject({ code: 'method_not_allowed' });
  });

  it('lets nobody in while the store is down', async () => {
    const commit = async () => {
      throw new StoreUnavailable('gone');
    };
    const broken = {
      ...auth.services,
      counters: { ...auth.services.counters, commit },
    } as unknown as typeof auth.services;
    await expect(new BrowserJar(broken).signIn(ADA, PASSWORD)).rejects.toBeInstanceOf(StoreUnavailable);
  });
});

describe('behind a public https address', () => {
  it('uses secure cookies, and no others count', async () => {
    const secure = await servicesOn(
      auth.file.database,
      { SLUICE_PUBLIC_URL: 'https://sluice.example' },
      auth.services.clock,
    );
    const jar = new BrowserJar(secure);
    const response = await jar.signIn(ADA, PASSWORD);
    expect(await response.json()).toEqual({ url: 'https://sluice.example/' });
    const cookie =
      response.headers.getSetCookie().find((header) => header.startsWith('__Secure-next-auth.session-token=')) ?? '';
    expect(cookie).toMatch(/; Secure/i);
    expect(await readSession(jar.cookieHeader, secure)).toMatchObject({ email: ADA });
    expect(await readSession(jar.cookieHeader.replaceAll('__Secure-', ''), secure)).toBeNull();
  });
});

describe('a session', () => {
  it('ends with a sign-out, also for anyone who kept the cookie', async () => {
    const jar = new BrowserJar(auth.services);
    await jar.signIn(ADA, PASSWORD);
    const kept = jar.cookieHeader;
    expect((await jar.signOut()).status).toBe(200);
    expect(jar.cookies.has('next-auth.session-token')).toBe(false);
    expect(await readSession(kept, auth.services)).toBeNull();
  });

  it('ends at once when its member is removed, and has a new role at once', async () => {
    const jar = new BrowserJar(auth.services);
    await jar.signIn(ADA, PASSWORD);
    const other = await servicesOn(auth.file.reopen(), {}, auth.services.clock);
    await changeRole(auth, ada.id, 'viewer');
    expect(await readSession(jar.cookieHeader, other)).toMatchObject({ role: 'viewer' });
    await dropMember(auth.context(), { id: ada.id });
    expect(await readSession(jar.cookieHeader, other)).toBeNull();
    const answer = await jar.send('GET', '/api/auth/session');
    expect(await answer.json()).toEqual({});
    expect(jar.cookies.has('next-auth.session-token')).toBe(false);
  });

  it('lives 12 hours without a request and 7 days at most', async () => {
    const jar = new BrowserJar(auth.services);
    await jar.signIn(ADA, PASSWORD);
    auth.pass(SESSION_IDLE);
    expect(await session(jar)).toBeNull();
    const busy = new BrowserJar(auth.services);
    await busy.signIn(ADA, PASSWORD);
    const hour = 3_600_000;
    for (let at = 0; at < SESSION_ABSOLUTE - hour; at += hour) {
      auth.pass(hour);
      if (at + hour < SESSION_ABSOLUTE) expect(await session(busy)).not.toBeNull();
    }
    auth.pass(hour);
    expect(await session(busy)).toBeNull();
  });

  it('tells the page who is signed in', async () => {
    const jar = new BrowserJar(auth.services);
    expect(await (await jar.send('GET', '/api/auth/session')).json()).toEqual({});
    await jar.signIn(ADA, PASSWORD);
    const answer = await (await jar.send('GET', '/api/auth/session')).json();
    expect(answer).toMatchObject({ user: { id: ada.id, email: ADA, name: null, role: 'owner' } });
  });

  it('is read from a cookie in pieces', async () => {
    const jar = new BrowserJar(auth.services);
    await jar.signIn(ADA, PASSWORD);
    const whole = jar.cookies.get('next-auth.session-token') ?? '';
    const pieces = `next-auth.session-token.1=${whole.slice(100)}; next-auth.session-token.0=${whole.slice(0, 100)}`;
    expect(await readSession(pieces, auth.services)).toMatchObject({ email: ADA });
  });

  it('ends elsewhere when its member takes another password', async () => {
    const [here, there] = [new BrowserJar(auth.services), new BrowserJar(auth.services)];
    await here.signIn(ADA, PASSWORD);
    await there.signIn(ADA, PASSWORD);
    const system = auth.context();
    const context = {
      ...system,
      actor: { id: `member:${ada.id}`, name: ADA, role: 'owner' as const },
      facts: { ...system.facts, session: () => readSession(here.cookieHeader, auth.services) },
    };
    const change = (current_password: string) =>
      changeOwnPassword.run(context, {
        params: {},
        query: {},
        body: { current_password, new_password: 'another new password' },
      });
    await expect(change('not it')).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'current_password' }],
    });
    await change(PASSWORD);
    expect(await session(here)).toMatchObject({ email: ADA });
    expect(await session(there)).toBeNull();
    expect((await new BrowserJar(auth.services).signIn(ADA, PASSWORD)).status).toBe(401);
    expect((await new BrowserJar(auth.services).signIn(ADA, 'another new password')).status).toBe(200);
  });
});

describe('failed sign-ins', () => {
  const attempt = (email: string, password: string, address: string) =>
    authenticateMember(auth.services, { email, password }, { address });

  it('close an account to the address they came from, and to others for a moment', async () => {
    for (let i = 0; i < FAILURES_PER_ACCOUNT; i += 1)
      expect(await attempt(ADA, 'wrong', '192.0.2.1')).toEqual({ kind: 'wrong' });
    const locked = await attempt(ADA, PASSWORD, '192.0.2.1');
    expect(locked).toMatchObject({ kind: 'locked' });
    const seconds = locked.kind === 'locked' ? locked.seconds : 0;
    expect(seconds).toBeGreaterThan(FAILURE_WINDOW - 30);
    expect(seconds).toBeLessThanOrEqual(FAILURE_WINDOW + FAILURE_WINDOW / 60);
    expect(await attempt(ADA, PASSWORD, '192.0.2.2')).toMatchObject({ kind: 'locked', seconds: 3 });
    expect(await attempt(BOB, 'another password', '192.0.2.1')).toMatchObject({ kind: 'member' });
    auth.pass((seconds - 1) * 1000);
    expect(await attempt(ADA, PASSWORD, '192.0.2.1')).toMatchObject({ kind: 'locked', seconds: 1 });
    auth.pass(1000);
    expect(await attempt(ADA, PASSWORD, '192.0.2.1')).toMatchObject({ kind: 'member' });
  });

  it('are the same for accounts that do not exist', async () => {
    for (let i = 0; i < FAILURES_PER_ACCOUNT; i += 1) await attempt('nobody@example.com', 'wrong', '192.0.2.1');
    expect(await attempt('nobody@example.com', 'wrong', '192.0.2.1')).toMatchObject({ kind: 'locked' });
  });

  it('close an address (an IPv6 /64) after 50 over all accounts', async () => {
    for (let i = 0; i < FAILURES_PER_ADDRESS; i += 1) {
      expect(await attempt(`user${i}@example.com`, 'wrong', `2001:db8::${i + 1}`)).toEqual({ kind: 'wrong' });
    }
    expect(await attempt(ADA, PASSWORD, '2001:db8::abcd')).toMatchObject({ kind: 'locked' });
    expect(await attempt(ADA, PASSWORD, '2001:db8:0:1::1')).toMatchObject({ kind: 'member' });
  });

  it('are forgotten with the right password, so that nobody is locked out by typing badly now and then', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < FAILURES_PER_ACCOUNT - 1; i += 1) await attempt(ADA, 'wrong', '192.0.2.1');
      expect(await attempt(ADA, PASSWORD, '192.0.2.1')).toMatchObject({ kind: 'member' });
    }
  });

  it('are counted together in all processes, also when they come at the same time', async () => {
    const other = await servicesOn(auth.file.reopen(), {}, auth.services.clock);
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        authenticateMember(
          i % 2 === 0 ? auth.services : other,
          { email: ADA, password: 'wrong' },
          { address: '192.0.2.1' },
        ),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === 'wrong')).toHaveLength(FAILURES_PER_ACCOUNT);
  });

  it('tell how long to wait', async () => {
    for (let i = 0; i < FAILURES_PER_ACCOUNT; i += 1) await new BrowserJar(auth.services).signIn(ADA, 'wrong');
    const response = await new BrowserJar(auth.services).signIn(ADA, PASSWORD);
    expect(response.status).toBe(429);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(await errorOf(response)).toBe(`locked:${seconds}`);
  });

  it('refuse a flood beyond what can wait', async () => {
    const flood = await Promise.allSettled(
      Array.from({ length: 130 }, (_, i) => attempt(`flood${i}@example.com`, 'x', `10.0.0.${i}`)),
    );
    const refused = flood.filter((attempt) => attempt.status === 'rejected');
    expect(refused.length).toBe(130 - 102);
    for (const attempt of refused) expect(attempt.reason).toBeInstanceOf(ApiError);
  });
});
