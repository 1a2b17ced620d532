import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { OTHER_SERVICE } from '@/lib/contract/lab-paths';
import { AUTHORIZATION, BASIC, CALLBACK, makeLab, ORIGIN, VERIFIER } from './lab-fixture';

let lab: ReturnType<typeof makeLab>;
beforeEach(() => {
  lab = makeLab();
});

describe('authorization by POST', () => {
  test('answers 200 with the code and the address a browser would go to, and never redirects', async () => {
    const answer = await lab.authorize();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const body = await answer.json();
    expect(Object.keys(body).sort()).toEqual(['code', 'expires_in', 'iss', 'redirect_to', 'redirect_uri', 'state']);
    expect(body).toMatchObject({ state: 'a-state', iss: ORIGIN, redirect_uri: CALLBACK, expires_in: 60 });
    const target = new URL(body.redirect_to);
    expect(target.origin + target.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(target.searchParams)).toEqual({ code: body.code, state: 'a-state', iss: ORIGIN });
  });

  test('takes JSON with the same rules', async () => {
    const answer = await lab.send('/auth/authorize', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(AUTHORIZATION),
    });
    expect(answer.status).toBe(200);
  });

  test('gives back a state of any characters byte for byte', async () => {
    const state = 'ä \r\n"&=%41+</script>\u202e';
    const body = await (await lab.authorize({ state })).json();
    expect(body.state).toBe(state);
    expect(new URL(body.redirect_to).searchParams.get('state')).toBe(state);
    expect(body.redirect_to).not.toMatch(/[\r\n]/);
  });

  test('names all of the controls that refuse', async () => {
    const answer = await lab.authorize({
      redirect_uri: 'http://evil.example/cb',
      state: undefined,
      code_challenge: undefined,
      code_challenge_method: undefined,
      response_type: 'token',
      scope: 'admin',
    });
    expect(answer.status).toBe(400);
    expect((await answer.json()).blocked_by.sort()).toEqual([
      'redirect-uri-scheme',
      'require-pkce',
      'require-state',
      'response-type-code',
      'scope-limits',
      'strict-redirect-uri',
    ]);
  });

  test('needs no state where PKCE protects the flow', async () => {
    expect((await lab.authorize({ state: undefined })).status).toBe(200);
  });
});

describe('authorization by GET', () => {
  const query = (fields: Record<string, string> = {}) =>
    `/auth/authorize?${new URLSearchParams({ ...AUTHORIZATION, ...fields })}`;

  test('asks the user on a page that cannot be framed and leaks nothing, and sends the answer on once', async () => {
    const page = await lab.send(query());
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('content-security-policy')).toContain('form-action');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const html = await page.text();
    expect(html).not.toContain('<script');
    const ticket = /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const approved = await lab.form('/auth/authorize/decision', { ticket, decision: 'approve' });
    expect(approved.status).toBe(303);
    const target = new URL(approved.headers.get('location') ?? '');
    expect(target.searchParams.get('state')).toBe('a-state');
    expect((await lab.redeem(target.searchParams.get('code') ?? '')).status).toBe(200);
    const again = await lab.form('/auth/authorize/decision', { ticket, decision: 'approve' });
    expect(again.status).toBe(400);
  });

  test('carries a no to the application', async () => {
    const html = await (await lab.send(query())).text();
    const ticket = /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const denied = await lab.form('/auth/authorize/decision', { ticket, decision: 'deny' });
    expect(denied.headers.get('location')).toContain('error=access_denied');
  });

  test('refuses a decision that comes from another site', async () => {
    const html = await (await lab.send(query())).text();
    const ticket = /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await lab.form('/auth/authorize/decision', { ticket, decision: 'approve' }, { headers })).status).toBe(400);
  });

  test('redirects errors to a registered address only', async () => {
    const known = await lab.send(query({ scope: 'admin' }));
    expect(known.status).toBe(303);
    expect(known.headers.get('location')).toContain(`${CALLBACK}?error=invalid_scope`);
    const broken: Record<string, string>[] = [{ redirect_uri: 'https://evil.example/' }, { client_id: 'nobody' }];
    for (const fields of broken) {
      const answer = await lab.send(query(fields));
      expect(answer.status).toBe(400);
      expect(answer.headers.get('location')).toBeNull();
    }
  });

  test('shows an unregistered address instead of going there, however weak it is told to be', async () => {
    const off = 'strict-redirect-uri=?0, user-consent=?0, no-open-redirect-on-error=?0, redirect-uri-scheme=?0';
    for (const redirect_uri of ['https://evil.example/"><script>', 'javascript:alert(1)', 'data:text/html,x']) {
      const answer = await lab.send(query({ redirect_uri }), { off });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('location')).toBeNull();
      expect(answer.headers.get('sluice-lab-location')).not.toBeNull();
      const html = await answer.text();
      expect(html).not.toMatch(/<script|<a |href/);
    }
  });

  test('prompt=none cannot be answered without asking', async () => {
    const answer = await lab.send(query({ prompt: 'none' }));
    expect(answer.headers.get('location')).toContain('error=consent_required');
  });
});

describe('tokens', () => {
  test('the access token is an RFC 9068 JWT for resource-server, 15 minutes at most', async () => {
    const answer = await lab.redeem(await lab.codeFor());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const tokens = await answer.json();
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'openid profile offline_access' });
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    const claims = decodeJwt(tokens.access_token);
    expect(claims).toMatchObject({
      iss: ORIGIN,
      aud: 'resource-server',
      sub: 'demo@example.com',
      client_id: 'demo-client',
    });
    expect(claims.exp! - claims.iat!).toBe(900);
    expect(await (await lab.data(tokens.access_token)).json()).toMatchObject({
      subject: 'demo@example.com',
      insecure: false,
    });
  });

  test('only offline_access gives a refresh token, only openid an ID token', async () => {
    const tokens = await lab.tokensFor({ scope: 'profile' });
    expect(tokens.refresh_token).toBeUndefined();
    expect(tokens.id_token).toBeUndefined();
  });

  test('a code lives for 60 seconds', async () => {
    const code = await lab.codeFor();
    lab.advance(59_999);
    expect((await lab.redeem(code)).status).toBe(200);
    const late = await lab.codeFor();
    lab.advance(60_000);
    expect(await (await lab.redeem(late)).json()).toMatchObject({
      error: 'invalid_grant',
      blocked_by: ['code-lifetime'],
    });
  });

  test('a second redemption is refused and ends what the first one got', async () => {
    const code = await lab.codeFor();
    const { access_token, refresh_token } = await (await lab.redeem(code)).json();
    expect(await (await lab.redeem(code)).json()).toMatchObject({
      error: 'invalid_grant',
      blocked_by: ['code-single-use'],
    });
    const dead = await lab.data(access_token);
    expect(dead.status).toBe(401);
    expect(await dead.json()).toMatchObject({ error: 'invalid_token', blocked_by: ['code-reuse-revokes'] });
    const refresh = { grant_type: 'refresh_token', refresh_token, client_id: 'demo-client' };
    expect((await lab.form('/auth/token', refresh)).status).toBe(400);
  });

  test('a stolen code that is replayed without its verifier revokes nothing', async () => {
    const code = await lab.codeFor();
    const { access_token } = await (await lab.redeem(code)).json();
    const replay = await lab.redeem(code, { code_verifier: VERIFIER.toLowerCase() });
    expect((await replay.json()).blocked_by).toEqual(['pkce-verified', 'code-single-use']);
    expect((await lab.data(access_token)).status).toBe(200);
  });

  test('50 redemptions at once give one token', async () => {
    const code = await lab.codeFor();
    const answers = await Promise.all(Array.from({ length: 50 }, () => lab.redeem(code)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  test('a confidential client authenticates by Basic or by post', async () => {
    const fields = { client_id: 'demo-confidential' };
    const basic = await lab.redeem(await lab.codeFor(fields), fields, undefined, { authorization: BASIC });
    expect(basic.status).toBe(200);
    const post = await lab.redeem(await lab.codeFor(fields), { ...fields, client_secret: 'demo-secret' });
    expect(post.status).toBe(200);
    const none = await lab.redeem(await lab.codeFor(fields), fields);
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toContain('Basic');
    expect(await none.json()).toMatchObject({ error: 'invalid_client', blocked_by: ['client-authentication'] });
  });

  test('a refresh token rotates, and the use of an old one ends the family', async () => {
    const first = await lab.tokensFor();
    const use = (refresh_token: string) =>
      lab.form('/auth/token', { grant_type: 'refresh_token', refresh_token, client_id: 'demo-client' });
    const second = await (await use(first.refresh_token)).json();
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await (await use(first.refresh_token)).json()).toMatchObject({
      error: 'invalid_grant',
      blocked_by: ['refresh-rotation'],
    });
    expect((await use(second.refresh_token)).status).toBe(400);
    expect((await lab.data(second.access_token)).status).toBe(401);
  });

  test('a refreshed token keeps to the granted scope', async () => {
    const { refresh_token } = await lab.tokensFor({ scope: 'openid offline_access' });
    const fields = { grant_type: 'refresh_token', refresh_token, client_id: 'demo-client' };
    expect(await (await lab.form('/auth/token', { ...fields, scope: 'profile' })).json()).toMatchObject({
      error: 'invalid_scope',
    });
    const narrowed = await (await lab.form('/auth/token', { ...fields, scope: 'openid' })).json();
    expect(narrowed.scope).toBe('openid');
  });

  test('a token for another resource is refused at /api/data, unless its audience is not checked', async () => {
    const { access_token } = await lab.tokensFor({ resource: OTHER_SERVICE });
    const answer = await lab.data(access_token);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
    expect(await answer.json()).toMatchObject({ error: 'invalid_token', blocked_by: ['validate-audience'] });
    const weak = await lab.data(access_token, 'validate-audience=?0');
    expect(weak.status).toBe(200);
    expect(await weak.json()).toMatchObject({ insecure: true, would_be_blocked_by: ['validate-audience'] });
    expect(weak.headers.get('sluice-lab-waived')).toBe('validate-audience');
  });
});

describe('the controls header', () => {
  test.each([
    'nonsense=?0',
    'require-pkce=1',
    'require-pkce="0"',
    'require-pkce=(?0)',
    '=',
    'require-pkce=?2',
    '\u00e4',
  ])('%s is invalid_request at every endpoint', async (off) => {
    for (const path of ['/api/data', '/auth/jwks', '/.well-known/oauth-authorization-server']) {
      const answer = await lab.send(path, { off });
      expect(answer.status).toBe(400);
      expect((await answer.json()).error).toBe('invalid_request');
    }
  });

  test('weakens one request and no other', async () => {
    const none = { code_challenge: undefined, code_challenge_method: undefined };
    expect((await lab.authorize(none, 'require-pkce=?0')).status).toBe(200);
    expect((await lab.authorize(none, 'require-pkce')).status).toBe(400);
    expect((await lab.authorize(none, '')).status).toBe(400);
    expect((await lab.authorize(none)).status).toBe(400);
  });
});
