import { beforeAll, describe, expect, it } from 'vitest';
import { authenticator } from '../../fixtures/authenticator';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { product, productSuite } from '../../fixtures/product-suite';
import { Visitor } from '../../fixtures/visitor';

const ROOM = { ip: { limit: 100_000, window_seconds: 60 }, user: { limit: 100_000, window_seconds: 3600 } };
const PASSWORD = 'a password of my own';
const FACTOR = '/v1/admin/session/second-factor';

productSuite({ SLUICE_POLICIES: JSON.stringify({ classes: { auth: ROOM } }), SLUICE_TRUSTED_PROXIES: '127.0.0.1/32' });

const owner = new Visitor();
beforeAll(async () => {
  await owner.signIn(OWNER_EMAIL, OWNER_PASSWORD);
});

let names = 0;

async function newMember(role = 'viewer'): Promise<{ id: string; email: string; browser: Visitor }> {
  names += 1;
  const body = { email: `member${names}@example.com`, role, password: PASSWORD };
  const { id, email } = (await (await product.admin('POST', '/v1/admin/members', body)).json()) as Record<
    string,
    string
  >;
  const browser = new Visitor();
  await browser.signIn(email ?? '', PASSWORD);
  return { id: id ?? '', email: email ?? '', browser };
}

/** Sets up a second factor. */
async function setUp(browser: Visitor): Promise<{ app: ReturnType<typeof authenticator>; codes: string[] }> {
  const started = await browser.call('POST', FACTOR, { password: PASSWORD });
  expect(started.status).toBe(201);
  const { secret } = (await started.json()) as { secret: string };
  const app = authenticator(secret);
  const confirmed = await browser.call('PUT', FACTOR, { code: app.now() });
  expect(confirmed.status).toBe(200);
  return { app, codes: ((await confirmed.json()) as { recovery_codes: string[] }).recovery_codes };
}

const errorOf = async (response: Response) =>
  new URL(((await response.json()) as { url: string }).url).searchParams.get('error');

const sessionOf = (browser: Visitor) => browser.send('GET', '/v1/admin/session').then(({ status }) => status);

describe('a second factor', () => {
  it('is asked for beside the password once a code has confirmed it', async () => {
    const { email, browser } = await newMember();
    const started = await browser.call('POST', FACTOR, { password: PASSWORD });
    const { secret, url } = (await started.json()) as { secret: string; url: string };
    expect(url).toContain(`secret=${secret}`);
    expect(new URL(url).protocol).toBe('otpauth:');
    expect((await new Visitor().signIn(email, PASSWORD)).status).toBe(200);
    expect((await browser.call('PUT', FACTOR, { code: '000000' })).status).toBe(400);

    const { app, codes } = await setUp(browser);
    expect(new Set(codes).size).toBe(10);
    expect(await (await browser.call('GET', FACTOR)).json()).toMatchObject({ enabled: true, recovery_codes_left: 10 });
    const visitor = new Visitor();
    const asked = await visitor.signIn(email, PASSWORD);
    expect([asked.status, await errorOf(asked)]).toEqual([401, 'CodeMissing']);
    expect(await sessionOf(visitor)).toBe(401);
    expect(await errorOf(await visitor.signIn(email, 'wrong', {}, app.next()))).toBe('CredentialsSignin');
    expect((await visitor.signIn(email, PASSWORD, {}, app.next())).status).toBe(200);
    expect(await sessionOf(visitor)).toBe(200);
  });

  it('takes a code once, and none of before', async () => {
    const { email, browser } = await newMember();
    const { app } = await setUp(browser);
    const code = app.next();
    expect((await new Visitor().signIn(email, PASSWORD, {}, code)).status).toBe(200);
    for (const old of [code, app.now()])
      expect(await errorOf(await new Visitor().signIn(email, PASSWORD, {}, old))).toBe('CodeWrong');
  });

  it('takes one code from one of many who send it at once', async () => {
    const { email, browser } = await newMember();
    const { app, codes } = await setUp(browser);
    for (const code of [app.next(), codes[0] ?? '']) {
      const together = Array.from({ length: 4 }, () => new Visitor().signIn(email, PASSWORD, {}, code));
      const statuses = (await Promise.all(together)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    }
  });

  it('takes each recovery code once, however it is typed', async () => {
    const { email, browser } = await newMember();
    const { codes } = await setUp(browser);
    const [first = '', second = ''] = codes;
    expect(
      (await new Visitor().signIn(email, PASSWORD, {}, ` ${first.toUpperCase().replaceAll('-', ' ')} `)).status,
    ).toBe(200);
    expect((await new Visitor().signIn(email, PASSWORD, {}, first)).status).toBe(401);
    expect((await new Visitor().signIn(email, PASSWORD, {}, second)).status).toBe(200);
    expect(await (await browser.call('GET', FACTOR)).json()).toMatchObject({ recovery_codes_left: 8 });
  });

  it("takes no other member's codes", async () => {
    const [one, other] = [await newMember(), await newMember()];
    await setUp(one.browser);
    const { app, codes } = await setUp(other.browser);
    for (const code of [app.next(), codes[0] ?? ''])
      expect(await errorOf(await new Visitor().signIn(one.email, PASSWORD, {}, code))).toBe('CodeWrong');
  });

  it('cannot be guessed: wrong codes count like wrong passwords, from every browser', async () => {
    const { email, browser } = await newMember();
    const { app } = await setUp(browser);
    const errors: (string | null)[] = [];
    const { address } = new Visitor();
    const guess = (code: string) => new Visitor(address).signIn(email, PASSWORD, {}, code);
    for (let tried = 0; tried < 11; tried += 1) errors.push(await errorOf(await guess(String(100_000 + tried))));
    expect(errors.slice(0, 10)).toEqual(Array(10).fill('CodeWrong'));
    expect(errors.at(-1)).toMatch(/^locked:\d+$/);
    expect((await guess(app.next())).status).toBe(429);
    const failed = (await (await browser.call('GET', '/v1/admin/session/failed-sign-ins')).json()) as {
      newest: { method: string }[];
    };
    expect(failed.newest[0]?.method).toBe('code');
  });

  it('ends the other sessions when it is set up, and is turned off by password and code only', async () => {
    const { email, browser } = await newMember();
    const other = new Visitor();
    await other.signIn(email, PASSWORD);
    const { app, codes } = await setUp(browser);
    expect([await sessionOf(browser), await sessionOf(other)]).toEqual([200, 401]);
    const off = (body: object) => browser.call('DELETE', FACTOR, body).then(({ status }) => status);
    expect(await off({ password: 'wrong', code: app.next() })).toBe(400);
    expect(await off({ password: PASSWORD, code: '123123' })).toBe(400);
    expect(await off({ password: PASSWORD, code: '' })).toBe(400);
    const renewed = await browser.call('POST', '/v1/admin/session/recovery-codes', {
      password: PASSWORD,
      code: codes[0],
    });
    const { recovery_codes: fresh } = (await renewed.json()) as { recovery_codes: string[] };
    expect(await off({ password: PASSWORD, code: codes[1] })).toBe(400);
    expect(await off({ password: PASSWORD, code: fresh[0] })).toBe(204);
    expect((await new Visitor().signIn(email, PASSWORD)).status).toBe(200);
    expect(await off({ password: PASSWORD, code: fresh[1] })).toBe(409);
  });

  it('stays when the password is reset by a link, which needs a code', async () => {
    const { id, browser } = await newMember();
    const { app } = await setUp(browser);
    const link = await product.admin('POST', `/v1/admin/members/${id}/invitation`);
    const token = new URL(((await link.json()) as { url: string }).url).hash.slice(1);
    const holder = new Visitor();
    expect(await errorOf(await holder.accept(token, 'another new password'))).toBe('CodeMissing');
    expect(await errorOf(await holder.accept(token, 'another new password', '123123'))).toBe('CodeWrong');
    expect((await holder.accept(token, 'another new password', app.next())).status).toBe(200);
  });

  it('is reset by an owner, which ends the sessions and stands in the audit log', async () => {
    const { id, email, browser } = await newMember();
    await setUp(browser);
    const path = `/v1/admin/members/${id}/second-factor`;
    expect((await browser.call('DELETE', path)).status).toBe(403);
    expect((await owner.call('DELETE', `${path}?reason=Lost%20the%20phone`)).status).toBe(204);
    expect(await sessionOf(browser)).toBe(401);
    expect((await new Visitor().signIn(email, PASSWORD)).status).toBe(200);
    expect((await owner.call('DELETE', path)).status).toBe(404);
    const audit = (await (await product.admin('GET', `/v1/admin/audit?target=${id}`)).json()) as Record<
      string,
      unknown
    >[];
    expect(audit[0]).toMatchObject({ action: 'member.reset_second_factor', reason: 'Lost the phone' });
  });

  it('is not taken away by an owner from themselves without a code', async () => {
    const { id, browser } = await newMember('owner');
    await setUp(browser);
    expect((await browser.call('DELETE', `/v1/admin/members/${id}/second-factor`)).status).toBe(409);
    expect((await product.admin('DELETE', `/v1/admin/members/${id}/second-factor`)).status).toBe(204);
  });

  it('is nothing that a token has', async () => {
    expect(await (await product.admin('GET', FACTOR)).json()).toMatchObject({ enabled: false, available: false });
    expect((await product.admin('POST', FACTOR, { password: PASSWORD })).status).toBe(403);
  });
});

describe('where a second factor is required', () => {
  it('a session with a password alone does nothing before it is set up; tokens go on', async () => {
    const { email, browser } = await newMember('owner');
    const rule = (second_factor: string) => product.admin('PUT', '/v1/admin/sign-in', { second_factor });
    expect((await browser.call('PUT', '/v1/admin/sign-in', { second_factor: 'required' })).status).toBe(200);
    try {
      for (const [method, path] of [
        ['GET', '/v1/admin/members'],
        ['PUT', '/v1/admin/sign-in'],
        ['DELETE', FACTOR],
        ['POST', '/v1/check'],
      ] as const)
        expect([path, (await browser.call(method, path, method === 'GET' ? undefined : {})).status]).toEqual([
          path,
          403,
        ]);
      expect(await sessionOf(browser)).toBe(200);
      expect((await browser.call('GET', '/v1/admin/session/list')).status).toBe(200);
      expect((await product.admin('GET', '/v1/admin/members')).status).toBe(200);
      const page = await browser.send('GET', '/keys');
      expect(`${page.headers.get('location')} ${await page.text()}`).toContain(
        '/sign-in/second-factor?callbackUrl=%2Fkeys',
      );

      const newcomer = new Visitor();
      expect((await newcomer.signIn(email, PASSWORD)).status).toBe(200);
      expect((await newcomer.call('GET', '/v1/admin/members')).status).toBe(403);
      const { app } = await setUp(newcomer);
      expect((await newcomer.call('GET', '/v1/admin/members')).status).toBe(200);
      const next = new Visitor();
      await next.signIn(email, PASSWORD, {}, app.next());
      expect((await next.call('GET', '/v1/admin/members')).status).toBe(200);
    } finally {
      expect((await rule('optional')).status).toBe(200);
    }
    expect((await owner.call('GET', '/v1/admin/members')).status).toBe(200);
  });
});

describe('sessions', () => {
  interface Listed {
    id: string;
    current: boolean;
    device: string;
    address: string;
    method: string;
  }
  const list = async (browser: Visitor) =>
    (await (await browser.call('GET', '/v1/admin/session/list')).json()) as Listed[];

  it('are listed with the browser and marked, and ended one by one or all others', async () => {
    const { email, browser } = await newMember();
    const phone = new Visitor();
    const iphone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
    await phone.signIn(email, PASSWORD, { 'user-agent': iphone });
    const third = new Visitor();
    await third.signIn(email, PASSWORD);
    const sessions = await list(browser);
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    const onPhone = sessions.find(({ device }) => device === 'Safari on iOS');
    expect(onPhone).toMatchObject({ current: false, address: phone.address, method: 'password' });

    expect((await browser.call('DELETE', `/v1/admin/session/list/${onPhone?.id}`)).status).toBe(204);
    expect([await sessionOf(phone), await sessionOf(third)]).toEqual([401, 200]);
    expect((await browser.call('DELETE', `/v1/admin/session/list/${onPhone?.id}`)).status).toBe(404);
    expect((await browser.call('DELETE', '/v1/admin/session/list')).status).toBe(204);
    expect([await sessionOf(browser), await sessionOf(third)]).toEqual([200, 401]);
  });

  it("are nobody else's to end, but an owner may end them all", async () => {
    const [one, other] = [await newMember(), await newMember()];
    const [session] = await list(one.browser);
    expect((await other.browser.call('DELETE', `/v1/admin/session/list/${session?.id}`)).status).toBe(404);
    const path = `/v1/admin/members/${one.id}/sessions`;
    expect((await other.browser.call('DELETE', path)).status).toBe(403);
    expect((await owner.send('DELETE', path, undefined, { origin: 'http://evil.test' })).status).toBe(403);
    expect(await sessionOf(one.browser)).toBe(200);
    expect((await owner.call('DELETE', path)).status).toBe(204);
    expect([await sessionOf(one.browser), await sessionOf(other.browser)]).toEqual([401, 200]);
  });

  it('end with the member', async () => {
    const { id, email, browser } = await newMember();
    const { codes } = await setUp(browser);
    expect((await product.admin('DELETE', `/v1/admin/members/${id}`)).status).toBe(204);
    expect(await sessionOf(browser)).toBe(401);
    expect((await new Visitor().signIn(email, PASSWORD, {}, codes[0])).status).toBe(401);
    const again = await product.admin('POST', '/v1/admin/members', { email, role: 'viewer', password: PASSWORD });
    expect(await again.json()).toMatchObject({ second_factor: false, state: 'active' });
    expect(await sessionOf(browser)).toBe(401);
    expect((await new Visitor().signIn(email, PASSWORD)).status).toBe(200);
  });
});
