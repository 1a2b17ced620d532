import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  ACCESS_TOKEN_TYPE,
  CALLED_BY_SCRIPTS,
  DEVICE_GRANT,
  LAB_PATHS,
  TOKEN_EXCHANGE_GRANT,
} from '@/lib/contract/lab-paths';
import { AUTHORIZATION, BASIC, CALLBACK, makeLab, ORIGIN } from './lab-fixture';

let lab: ReturnType<typeof makeLab>;
beforeEach(() => {
  lab = makeLab();
});

const seconds = () => Math.floor(lab.services.now() / 1000);
test('a pushed request names its client once', async () => {
  const body = new URLSearchParams(AUTHORIZATION);
  body.append('client_id', 'demo-client');
  const answer = await lab.send('/auth/par', { method: 'POST', body });
  expect([answer.status, (await answer.json()).blocked_by]).toEqual([400, ['duplicate-parameters']]);
});

test.each([
  ['fapi-bound-tokens=1', 'fapi-bound-tokens must be a boolean, ?1 or ?0.'],
  ['fapi=?1', 'names a control that has no switch.'],
])('the requirement %s is refused', async (off, problem) => {
  const answer = await lab.send('/auth/jwks', { off });
  expect([answer.status, (await answer.json()).error_description]).toEqual([400, expect.stringContaining(problem)]);
});

const page = (fields: Record<string, string> = {}) =>
  lab.send(`/auth/authorize?${new URLSearchParams({ ...AUTHORIZATION, ...fields })}`);
const ticketOf = async (answer: Response) => /name="ticket" value="([^"]+)"/.exec(await answer.text())?.[1] ?? '';
const decide = (ticket: string, decision = 'approve') => lab.form('/auth/authorize/decision', { ticket, decision });
const locationOf = (answer: Response) => new URL(answer.headers.get('location') ?? 'about:blank').searchParams;

describe('DPoP (RFC 9449)', () => {
  const makeKey = async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(publicKey);
    const proof = (htu: string, htm = 'POST', claims: JWTPayload = {}) =>
      new SignJWT({ htm, htu, jti: crypto.randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .setIssuedAt(seconds())
        .sign(privateKey);
    return { proof, thumbprint: await calculateJwkThumbprint(jwk) };
  };
  const at = (path: string) => ORIGIN + path;

  test.each(['dpop_jkt', 'a pushed request'])('a code is bound to the key of %s', async (how) => {
    const [mine, other] = [await makeKey(), await makeKey()];
    const codeFor = async () => {
      if (how === 'dpop_jkt') return lab.codeFor({ dpop_jkt: mine.thumbprint });
      const headers = { dpop: await mine.proof(at('/auth/par')) };
      const { request_uri } = await (await lab.form('/auth/par', AUTHORIZATION, { headers })).json();
      const answer = await lab.form('/auth/authorize', { client_id: 'demo-client', request_uri });
      return (await answer.json()).code;
    };
    const code = await codeFor();
    const refused = { error: 'invalid_grant', blocked_by: ['dpop-code-binding'] };
    expect(await (await lab.redeem(code)).json()).toMatchObject(refused);
    const foreign = { dpop: await other.proof(at('/auth/token')) };
    expect(await (await lab.redeem(code, {}, undefined, foreign)).json()).toMatchObject(refused);
    const own = { dpop: await mine.proof(at('/auth/token')) };
    expect(await (await lab.redeem(code, {}, undefined, own)).json()).toMatchObject({ token_type: 'DPoP' });
  });

  test('a bad proof at the pushed request endpoint is refused', async () => {
    const answer = await lab.form('/auth/par', AUTHORIZATION, { headers: { dpop: 'garbage' } });
    expect([answer.status, (await answer.json()).error]).toEqual([400, 'invalid_dpop_proof']);
  });

  test.each(['HTTP://LOCALHOST:3000/auth/token', 'http://localhost:3000/auth/token?x=1#y'])(
    '%s is the same htu',
    async (htu) => {
      const headers = { dpop: await (await makeKey()).proof(htu) };
      expect((await lab.redeem(await lab.codeFor(), {}, undefined, headers)).status).toBe(200);
    },
  );

  test('the challenge of the scheme that was used carries the error', async () => {
    const key = await makeKey();
    const headers = { dpop: await key.proof(at('/auth/token')) };
    const { access_token } = await (await lab.redeem(await lab.codeFor(), {}, undefined, headers)).json();
    const asBearer = await lab.data(access_token);
    expect(asBearer.headers.get('www-authenticate')).toMatch(/^Bearer [^D]*error="invalid_token".*, DPoP .*algs="/);
    const withoutAth = { authorization: `DPoP ${access_token}`, dpop: await key.proof(at('/api/data'), 'GET') };
    const answer = await lab.send('/api/data', { headers: withoutAth });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(
      /^Bearer realm.*, DPoP .*error="invalid_dpop_proof".*algs="/,
    );
  });
});

describe('OpenID Connect', () => {
  test.each(['none login', 'sometimes'])('prompt=%s is refused', async (prompt) => {
    expect(locationOf(await page({ prompt })).get('error')).toBe('invalid_request');
  });

  test.each<Record<string, string>>([{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }])(
    '%j asks, also where nobody is asked otherwise',
    async (fields) => {
      const off = 'user-consent=?0';
      const url = (more: Record<string, string>) =>
        `/auth/authorize?${new URLSearchParams({ ...AUTHORIZATION, ...more })}`;
      expect((await lab.send(url({}), { off })).status).toBe(303);
      expect(await ticketOf(await lab.send(url(fields), { off }))).not.toBe('');
    },
  );

  test('max_age is a number', async () => {
    expect(locationOf(await page({ max_age: 'soon' })).get('error')).toBe('invalid_request');
  });

  test('auth_time is when the user agreed, also after a refresh', async () => {
    const ticket = await ticketOf(await page());
    lab.advance(20_000);
    const agreed = seconds();
    const code = locationOf(await decide(ticket)).get('code') ?? '';
    lab.advance(20_000);
    const first = await (await lab.redeem(code)).json();
    expect(decodeJwt(first.id_token)).toMatchObject({ auth_time: agreed, iat: agreed + 20 });
    lab.advance(20_000);
    const fields = { grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: 'demo-client' };
    const second = await (await lab.form('/auth/token', fields)).json();
    expect(decodeJwt(second.id_token)).toMatchObject({ auth_time: agreed, iat: agreed + 40 });
  });

  test.each([
    ['openid', {}],
    ['openid profile', { name: 'Demo User' }],
    ['openid email', { email: 'demo@example.com', email_verified: true }],
  ])('userinfo answers what %s stands for', async (scope, claims) => {
    const { access_token } = await lab.tokensFor({ scope });
    const expected = { sub: 'demo@example.com', ...claims };
    const headers = { authorization: `Bearer ${access_token}` };
    for (const method of ['GET', 'POST'])
      expect(await (await lab.send('/auth/userinfo', { method, headers })).json()).toEqual(expected);
    expect(await (await lab.form('/auth/userinfo', { access_token })).json()).toEqual(expected);
  });

  test('userinfo takes no token without openid, none in the address, and no two', async () => {
    const { access_token } = await lab.tokensFor({ scope: 'profile' });
    const headers = { authorization: `Bearer ${access_token}` };
    const answer = await lab.send('/auth/userinfo', { headers });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
    expect((await lab.send(`/auth/userinfo?access_token=${access_token}`)).status).toBe(401);
    expect((await lab.form('/auth/userinfo', { access_token }, { headers })).status).toBe(400);
    expect((await lab.send('/auth/userinfo')).status).toBe(401);
  });
});

describe('a pushed request (RFC 9126)', () => {
  const push = async () => (await (await lab.form('/auth/par', AUTHORIZATION)).json()).request_uri as string;
  const open = (request_uri: string) =>
    lab.send(`/auth/authorize?${new URLSearchParams({ client_id: 'demo-client', request_uri })}`);

  test('can be loaded again until it is answered, once', async () => {
    const uri = await push();
    const [first, second] = [await ticketOf(await open(uri)), await ticketOf(await open(uri))];
    expect(locationOf(await decide(second)).get('code')).not.toBeNull();
    expect((await decide(first)).status).toBe(400);
    expect((await open(uri)).status).toBe(400);
  });

  test('expires, but its page can still be answered', async () => {
    const uri = await push();
    const ticket = await ticketOf(await open(uri));
    lab.advance(90_000);
    expect((await open(uri)).status).toBe(400);
    expect(locationOf(await decide(ticket)).get('code')).not.toBeNull();
  });

  test('gives one code to simultaneous requests', async () => {
    const fields = { client_id: 'demo-client', request_uri: await push() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => lab.form('/auth/authorize', fields)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('form_post', () => {
  const state = '"><script>alert(1)</script>';

  test('has the browser post the answer to the redirect URI, and nothing stands in an address', async () => {
    const answer = await decide(await ticketOf(await page({ response_mode: 'form_post', state })));
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /form-action 'self' https:\/\/app\.example\.com; script-src 'sha256-/,
    );
    const html = await answer.text();
    expect(html).toContain(`<form method="post" action="${CALLBACK}">`);
    expect(html).toMatch(/name="code" value="slc_[\w-]{43}"/);
    expect(html).toContain(`name="iss" value="${ORIGIN}"`);
    expect(html).not.toContain(state);
  });

  test('carries errors as well', async () => {
    const html = await (await page({ response_mode: 'form_post', prompt: 'none' })).text();
    expect(html).toContain('name="error" value="consent_required"');
  });
});

describe('resources', () => {
  test('a resource that the lab does not know is no target, nor is one that was not authorized (RFC 8707)', async () => {
    const unknown = await lab.authorize({ resource: 'https://another.example/' });
    expect(await unknown.json()).toMatchObject({ error: 'invalid_target' });
    const code = await lab.codeFor();
    const resource = 'https://another-service.example/';
    expect(await (await lab.redeem(code, { resource })).json()).toMatchObject({ error: 'invalid_target' });
  });

  test.each([
    ['', ORIGIN],
    ['/api/data', `${ORIGIN}/api/data`],
  ])(
    'the metadata under "%s" is about its own resource, for which tokens are issued (RFC 9728)',
    async (path, resource) => {
      const metadata = await (await lab.send(LAB_PATHS.resourceMetadata + path)).json();
      expect(metadata).toMatchObject({ resource, authorization_servers: [ORIGIN], scopes_supported: ['profile'] });
      const { access_token } = await lab.tokensFor({ resource });
      expect(decodeJwt(access_token).aud).toBe(resource);
      expect((await lab.data(access_token)).status).toBe(200);
    },
  );

  test('a 401 says where the metadata is', async () => {
    const challenge = (await lab.send('/api/data')).headers.get('www-authenticate') ?? '';
    const address = /^Bearer .*?resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const metadata = await lab.send(address.slice(ORIGIN.length));
    expect((await metadata.json()).resource).toBe(`${ORIGIN}/api/data`);
  });
});

describe('scripts of other origins', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'https://spa.example', 'access-control-request-method': 'POST' },
  };

  test.each([...CALLED_BY_SCRIPTS])('may call %s without cookies, and read its refusals', async (path) => {
    const allowed = await lab.send(path, preflight);
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-headers')).toMatch(/Authorization.*DPoP/);
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { headers } = await lab.send(path, { method });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test.each([
    LAB_PATHS.authorize,
    LAB_PATHS.decision,
    LAB_PATHS.introspect,
    LAB_PATHS.device,
    LAB_PATHS.deviceDecision,
  ])('may not call %s', async (path) => {
    for (const answer of [await lab.send(path, preflight), await lab.send(path), await lab.form(path, {})])
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('mutual TLS (RFC 8705)', () => {
  const certificate = { thumbprint: 'own', subject: 'CN=any', isTrusted: true };
  const bindingOf = async (answer: Response) => {
    const body = await answer.json();
    return body.access_token === undefined ? body.error_description : decodeJwt(body.access_token).cnf;
  };
  const connectDevice = async () => {
    const asked = await lab.form(LAB_PATHS.deviceAuthorization, { client_id: 'demo-client' });
    const { device_code, user_code } = await asked.json();
    const headers = { 'content-type': 'application/json' };
    await lab.send(LAB_PATHS.device, { method: 'POST', headers, body: JSON.stringify({ user_code }) });
    return lab.form('/auth/token', { grant_type: DEVICE_GRANT, client_id: 'demo-client', device_code });
  };
  const exchange = (subject_token: string) => {
    const fields = { grant_type: TOKEN_EXCHANGE_GRANT, subject_token, subject_token_type: ACCESS_TOKEN_TYPE };
    return lab.form('/auth/token', fields, { headers: { authorization: BASIC } });
  };

  test('every grant binds its tokens to the certificate of the connection', async () => {
    const plain = (await lab.tokensFor()).access_token;
    lab.services.certificate = certificate;
    const bound = { 'x5t#S256': 'own' };
    expect(await bindingOf(await lab.redeem(await lab.codeFor()))).toEqual(bound);
    expect(await bindingOf(await connectDevice())).toEqual(bound);
    expect(await bindingOf(await exchange(plain))).toEqual(bound);
  });

  test('a bound token is exchanged with its certificate alone', async () => {
    lab.services.certificate = certificate;
    const { access_token } = await (await lab.redeem(await lab.codeFor())).json();
    expect(await bindingOf(await exchange(access_token))).toEqual({ 'x5t#S256': 'own' });
    for (const other of [{ ...certificate, thumbprint: 'other' }, null]) {
      lab.services.certificate = other;
      expect(await bindingOf(await exchange(access_token))).toBe('The subject token is bound to another certificate.');
    }
  });
});
