import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { authorize } from '@/lib/auth/authorize';
import { FAILED_TOKEN_LIMIT, FAILED_TOKEN_WINDOW } from '@/lib/auth/state';
import type { RoleAccess } from '@/lib/contract/operation';
import { ApiError } from '@/lib/http/api-error';
import { type AuthServices, authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';

const BOOTSTRAP = 'bootstrap-token-of-the-tests-0123456789';
const ACCESSES: readonly RoleAccess[] = ['public', 'any-token', 'decide', 'viewer', 'operator', 'owner'];
const PASSWORD = 'correct horse battery staple';
const SAME = { origin: 'http://sluice.test', 'sec-fetch-site': 'same-origin' };

let auth: AuthServices;
let cookie: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  auth = await authServices({ SLUICE_ADMIN_TOKEN: BOOTSTRAP });
  for (const role of ['viewer', 'operator', 'owner', 'gateway'] as const) tokens[role] = (await auth.token(role)).token;
  tokens.expired = (await auth.token('owner', auth.services.clock() + 1_000)).token;
  auth.pass(1_000);
  const revoked = await auth.token('owner');
  await revokeToken.run(auth.context(), { params: { id: revoked.id }, query: {}, body: undefined });
  tokens.revoked = revoked.token;
  await auth.member('owner@example.com', 'owner', PASSWORD);
  const jar = new BrowserJar(auth.services);
  expect((await jar.signIn('owner@example.com', PASSWORD)).status).toBe(200);
  cookie = jar.cookieHeader;
});
afterAll(() => auth[Symbol.dispose]());

let address = 0;

/** 200, or the status of the refusal. Each call comes from an address of its own. */
async function status(
  access: RoleAccess,
  headers: Record<string, string>,
  method = 'POST',
  from?: string,
): Promise<number> {
  address += 1;
  const request = new Request('http://sluice.test/v1/admin/x', {
    method,
    headers: { host: 'sluice.test', ...headers },
  });
  const at = { now: auth.services.clock(), address: from ?? `10.${address >> 8}.${address & 255}.1` };
  try {
    await authorize(access, request, auth.services, at);
    return 200;
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

const bearer = (name: string) => ({ authorization: `Bearer ${tokens[name]}` });

describe('a credential against an access', () => {
  const NOBODY = [200, 401, 401, 401, 401, 401];
  const cases: [string, () => Record<string, string>, number[]][] = [
    ['none', () => ({}), NOBODY],
    ['malformed scheme', () => ({ authorization: `Token ${tokens.owner}` }), NOBODY],
    ['no scheme', () => ({ authorization: tokens.owner ?? '' }), NOBODY],
    ['empty bearer', () => ({ authorization: 'Bearer ' }), NOBODY],
    ['two tokens in one header', () => ({ authorization: `Bearer ${tokens.owner}, Bearer ${tokens.owner}` }), NOBODY],
    ['empty X-Admin-Token', () => ({ 'x-admin-token': '' }), NOBODY],
    ['unknown', () => ({ authorization: `Bearer slt_${'x'.repeat(43)}` }), NOBODY],
    ['a token of 600 characters', () => ({ authorization: `Bearer ${'x'.repeat(600)}` }), NOBODY],
    ['revoked', () => bearer('revoked'), NOBODY],
    ['expired', () => bearer('expired'), NOBODY],
    ['gateway', () => bearer('gateway'), [200, 200, 200, 403, 403, 403]],
    ['viewer', () => bearer('viewer'), [200, 200, 403, 200, 403, 403]],
    ['operator', () => bearer('operator'), [200, 200, 200, 200, 200, 403]],
    ['owner', () => bearer('owner'), [200, 200, 200, 200, 200, 200]],
    [
      'owner, scheme in lower case',
      () => ({ authorization: `bearer ${tokens.owner}` }),
      [200, 200, 200, 200, 200, 200],
    ],
    ['owner in X-Admin-Token', () => ({ 'x-admin-token': tokens.owner ?? '' }), [200, 200, 200, 200, 200, 200]],
    [
      'owner in both headers',
      () => ({ ...bearer('owner'), 'x-admin-token': tokens.owner ?? '' }),
      [200, 200, 200, 200, 200, 200],
    ],
    ['bootstrap', () => ({ authorization: `Bearer ${BOOTSTRAP}` }), [200, 200, 200, 200, 200, 200]],
    ['bootstrap, one character short', () => ({ authorization: `Bearer ${BOOTSTRAP.slice(0, -1)}` }), NOBODY],
    ['session, same origin', () => ({ cookie, ...SAME }), [200, 200, 200, 200, 200, 200]],
    ['session without Origin', () => ({ cookie }), [200, 403, 403, 403, 403, 403]],
    ['session, other origin', () => ({ cookie, origin: 'http://evil.test' }), [200, 403, 403, 403, 403, 403]],
    ['a wrong token beside a session', () => ({ cookie, ...SAME, authorization: 'Bearer wrong' }), NOBODY],
    ['a cookie that we have not made', () => ({ cookie: 'next-auth.session-token=abc', ...SAME }), NOBODY],
    [
      'a session behind basic authentication',
      () => ({ cookie, ...SAME, authorization: 'Basic dTpw' }),
      [200, 200, 200, 200, 200, 200],
    ],
  ];
  it.each(cases)('%s', async (_name, headers, expected) => {
    const given = [];
    for (const access of ACCESSES) given.push(await status(access, headers()));
    expect(given).toEqual(expected);
  });

  it('two different tokens are refused, except that a gateway header stands beside its client own Authorization', async () => {
    const headers = { authorization: 'Bearer a-token-of-the-application', 'x-admin-token': tokens.gateway ?? '' };
    expect(await status('viewer', headers)).toBe(400);
    expect(await status('decide', headers)).toBe(200);
  });

  it('says why in WWW-Authenticate', async () => {
    const challenge = async (headers: Record<string, string>) => {
      const request = new Request('http://sluice.test/', { headers });
      const error = await authorize('viewer', request, auth.services, { now: 0, address: '192.0.2.9' }).catch(
        (fault: unknown) => fault,
      );
      return error instanceof ApiError ? error.headers['WWW-Authenticate'] : undefined;
    };
    expect(await challenge({})).toBe('Bearer realm="sluice"');
    expect(await challenge({ authorization: 'Bearer wrong' })).toBe('Bearer realm="sluice", error="invalid_token"');
  });
});

describe('a session that changes something', () => {
  const cases: [string, Record<string, string>, number][] = [
    ['the same origin', { origin: 'http://sluice.test' }, 200],
    ['the same origin, as the browser says too', SAME, 200],
    ['no Origin', {}, 403],
    ['no Origin, same-origin by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }, 403],
    ['Origin: null', { origin: 'null' }, 403],
    ['another site', { origin: 'http://evil.test' }, 403],
    ['another scheme', { origin: 'https://sluice.test' }, 403],
    ['another port', { origin: 'http://sluice.test:8080' }, 403],
    ['a subdomain', { origin: 'http://a.sluice.test' }, 403],
    ['a longer host', { origin: 'http://sluice.test.evil.test' }, 403],
    ['a stranger who forwards its own host', { origin: 'http://evil.test', 'x-forwarded-host': 'evil.test' }, 403],
    ['a stranger who forwards https', { origin: 'https://sluice.test', 'x-forwarded-proto': 'https' }, 403],
    ['same-site', { origin: 'http://sluice.test', 'sec-fetch-site': 'same-site' }, 403],
    ['cross-site', { origin: 'http://sluice.test', 'sec-fetch-site': 'cross-site' }, 403],
    ['none', { origin: 'http://sluice.test', 'sec-fetch-site': 'none' }, 403],
    ['two origins', { origin: 'http://sluice.test, http://evil.test' }, 403],
  ];
  it.each(cases)('%s', async (_name, headers, expected) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await status('viewer', { cookie, ...headers }, method)).toBe(expected);
  });

  it('reads without an Origin, but does not count a decision without one', async () => {
    expect(await status('viewer', { cookie }, 'GET')).toBe(200);
    expect(await status('viewer', { cookie }, 'HEAD')).toBe(200);
    expect(await status('decide', { cookie }, 'GET')).toBe(403);
  });
});

describe('wrong tokens', () => {
  it('make their address wait, and never keep a right one out', async () => {
    const from = '203.0.113.7';
    for (let i = 0; i < FAILED_TOKEN_LIMIT; i += 1)
      expect(await status('viewer', { 'x-admin-token': `wrong-${i}` }, 'GET', from)).toBe(401);
    expect(await status('viewer', { 'x-admin-token': 'wrong' }, 'GET', from)).toBe(429);
    expect(await status('viewer', bearer('viewer'), 'GET', from)).toBe(200);
    expect(await status('viewer', {}, 'GET', from)).toBe(401);
    expect(await status('viewer', { 'x-admin-token': 'wrong' }, 'GET', '203.0.113.8')).toBe(401);
    auth.pass(FAILED_TOKEN_WINDOW);
    expect(await status('viewer', { 'x-admin-token': 'wrong' }, 'GET', from)).toBe(401);
  });

  it('are counted for a whole IPv6 /64', async () => {
    for (let i = 0; i < FAILED_TOKEN_LIMIT; i += 1)
      await status('viewer', { 'x-admin-token': 'wrong' }, 'GET', `2001:db8::${i + 1}`);
    expect(await status('viewer', { 'x-admin-token': 'wrong' }, 'GET', '2001:db8::ffff:1')).toBe(429);
    expect(await status('viewer', { 'x-admin-token': 'wrong' }, 'GET', '2001:db8:0:1::1')).toBe(401);
  });
});

describe('revocation', () => {
  it('counts from the very next request in every process', async () => {
    const other = await servicesOn(auth.file.reopen(), {}, auth.services.clock);
    const made = await auth.token('viewer');
    const request = () => new Request('http://sluice.test/', { headers: { 'x-admin-token': made.token } });
    const at = { now: auth.services.clock(), address: '192.0.2.1' };
    expect((await authorize('viewer', request(), other, at)).id).toBe(`token:${made.id}`);
    await revokeToken.run(auth.context(), { params: { id: made.id }, query: {}, body: undefined });
    await expect(authorize('viewer', request(), other, at)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(authorize('viewer', request(), auth.services, at)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
