import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Transport } from '@/lib/oauth/assessment/target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { type SmallServerOptions, smallServer } from '@/tests/fixtures/small-server';

// Habits of authorization servers that are built with a library, each in front of the small server.

/** Stands in front of the small server, and may answer in its place. */
type Habit = (request: Request, send: Transport) => Promise<Response>;

async function judge(control: string, options: SmallServerOptions, habit: Habit = (request, send) => send(request)) {
  const target = smallServer(options);
  const world = {
    clock: () => performance.now(),
    sleep: async () => undefined,
    random: (length: number) => randomBytes(length),
    controls: CATALOGUE.filter(({ id }) => id === control),
  };
  const [finding] = await assessAll(
    { ...target, transport: (request) => habit(request, (own) => target.transport(own)) },
    world,
  );
  return finding?.verdict;
}

const readForm = async (request: Request) => new URLSearchParams(await request.clone().text());
const json = (status: number, body: unknown) => Response.json(body, { status });

/** Asks a signed-in browser once, and remembers that it agreed. */
function askOnce(): Habit {
  let hasAgreed = false;
  return async (request, send) => {
    const url = new URL(request.url);
    if (url.pathname === '/agree') {
      hasAgreed = true;
      return send(new Request(`${url.origin}/authorize${url.search}`, { headers: request.headers }));
    }
    if (url.pathname !== '/authorize' || hasAgreed || !request.headers.has('cookie')) return send(request);
    const answer = await send(request);
    if (answer.status !== 302) return answer;
    const form = `<form method="post" action="/agree${url.search.replaceAll('&', '&amp;')}"><button>Allow</button></form>`;
    return new Response(form, { headers: { 'content-type': 'text/html' } });
  };
}

test('a server that asked before the first code may remember the answer', async () => {
  expect(await judge('user-consent', { page: {} }, askOnce())).toMatchObject({
    kind: 'passed',
    reason: expect.stringContaining('before the first code'),
  });
  expect(await judge('user-consent', { page: {} })).toMatchObject({ kind: 'inconclusive' });
});

/** Asks for consent each time. With `prompt=none` it asks nobody, or answers an error. */
const askAlways =
  (answer: 'code' | 'error'): Habit =>
  async (request, send) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/authorize' || !request.headers.has('cookie')) return send(request);
    const sound = await send(request);
    const location = `${searchParams.get('redirect_uri')}?${answer}=consent_required`;
    if (searchParams.get('prompt') === 'none') return new Response(null, { status: 302, headers: { location } });
    const form = '<form method="post" action="/agree"><button>Allow</button></form>';
    return sound.status === 302 ? new Response(form, { headers: { 'content-type': 'text/html' } }) : sound;
  };

test.each<SmallServerOptions>([{ page: {} }, { asksByScript: true }])(
  'consent that prompt=none skips is shown by a new client alone (%j)',
  async (options) => {
    const registers = { error: 'invalid_redirect_uri' };
    expect(await judge('user-consent', { ...options, registers }, askAlways('code'))).toMatchObject({ kind: 'failed' });
    expect(await judge('user-consent', options, askAlways('code'))).toMatchObject({ kind: 'inconclusive' });
    expect(await judge('user-consent', options, askAlways('error'))).toMatchObject({ kind: 'passed' });
  },
);

test('a client of a server that calls a bad code a bad request is shown to be right by a whole flow', async () => {
  const habit: Habit = async (request, send) => {
    const answer = await send(request);
    const isBadCode = answer.status === 400 && (await answer.clone().text()).includes('invalid_grant');
    return isBadCode ? json(400, { error: 'invalid_request' }) : answer;
  };
  for (const control of ['no-password-grant', 'password-grant-every-client'])
    expect(await judge(control, {}, habit), control).toMatchObject({ kind: 'passed' });
});

/** Revokes access tokens alone, for everybody or for the second client. */
function revokeAccessTokens(isForEverybody: boolean): Habit {
  const ended = new Set<string>();
  return async (request, send) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/revoke') {
      const form = await readForm(request);
      const secret = form.get('client_secret') ?? '';
      const own = await send(new Request('https://small.example/token', { method: 'POST', body: form }));
      const isAuthenticated = secret !== '' && own.status !== 401;
      if (isForEverybody || isAuthenticated) ended.add(form.get('token') ?? '');
      return json(200, {});
    }
    const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    return pathname === '/data' && ended.has(token) ? json(401, { error: 'invalid_token' }) : send(request);
  };
}

test('revocation of access tokens alone shows who may revoke', async () => {
  expect(await judge('revocation-authentication', {}, revokeAccessTokens(true))).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('without credentials'),
  });
  expect(await judge('revocation-authentication', {}, revokeAccessTokens(false))).toMatchObject({
    kind: 'passed',
    reason: expect.stringContaining('a real token was not revoked'),
  });
});

test('a family that forks without a race is one failure', async () => {
  expect(await judge('refresh-rotation', { keepsOldRefreshTokens: true })).toMatchObject({ kind: 'failed' });
  expect(await judge('refresh-race', { keepsOldRefreshTokens: true })).toMatchObject({ kind: 'not_applicable' });
});

test.each([
  [302, 'passed'],
  [307, 'failed'],
])('an agreement that is redirected with %i is %s', async (status, kind) => {
  const ask = askOnce();
  const habit: Habit = async (request, send) => {
    const answer = await ask(request, send);
    const { pathname } = new URL(request.url);
    return pathname === '/agree' ? new Response(null, { status, headers: answer.headers }) : answer;
  };
  expect(await judge('redirect-303', { page: {} }, habit)).toMatchObject({ kind });
});

test('a refusal in other words than invalid_client is named with what was refused', async () => {
  const habit: Habit = async (request, send) => {
    const isBasic = request.headers.get('authorization')?.startsWith('Basic ') ?? false;
    return isBasic ? json(400, { error: 'invalid_request' }) : send(request);
  };
  expect(await judge('client-authentication', {}, habit)).toMatchObject({
    kind: 'passed',
    reason: expect.stringMatching(/invalid_client: a wrong secret by Basic.* \(invalid_request\)\.$/),
  });
});

test('a token that a probe invents does not hide the words of a reason', async () => {
  const controls = ['token-altered', 'revocation-authentication'];
  const target = smallServer({ opaqueTokens: 'stay' });
  const findings = await assessAll(target, {
    clock: () => performance.now(),
    sleep: async () => undefined,
    random: (length: number) => randomBytes(length),
    controls: CATALOGUE.filter(({ id }) => controls.includes(id)),
  });
  const altered = findings.find(({ control }) => control === 'token-altered');
  expect(altered?.verdict.reason).toContain('an invented token');
});

test('a server that asks for a login before it looks at a request is judged by a signed-in browser', async () => {
  const habit: Habit = async (request, send) => {
    const isAsking = new URL(request.url).pathname === '/authorize' && !request.headers.has('cookie');
    const form = '<form method="post" action="/login"><input type="password" name="password"></form>';
    return isAsking ? new Response(form, { headers: { 'content-type': 'text/html' } }) : send(request);
  };
  expect(await judge('no-open-redirect-on-error', {}, habit)).toMatchObject({ kind: 'passed' });
  expect(await judge('no-open-redirect-on-error', { errorsGoAnywhere: true }, habit)).toMatchObject({ kind: 'failed' });
});

test('what is not implemented is refused', async () => {
  const habit: Habit = async (request, send) => {
    const { pathname, searchParams } = new URL(request.url);
    const type = searchParams.get('response_type');
    if (pathname === '/authorize' && type !== null && type !== 'code') return new Response('no', { status: 501 });
    const answer = await send(request);
    const isUnsupported = (await answer.clone().text()).includes('unsupported_grant_type');
    return isUnsupported ? json(501, { error: 'unsupported_grant_type' }) : answer;
  };
  for (const control of ['response-type-code', 'no-password-grant', 'password-grant-every-client'])
    expect(await judge(control, {}, habit), control).toMatchObject({ kind: 'passed' });
});

test('a bare 401 refuses a wrong secret', async () => {
  const habit: Habit = async (request, send) => {
    const answer = await send(request);
    return answer.status === 401 ? new Response('Unauthorized', { status: 401 }) : answer;
  };
  const metadata = { token_endpoint_auth_methods_supported: undefined };
  expect(await judge('basic-authentication', { metadata }, habit)).toMatchObject({ kind: 'passed' });
  expect(await judge('basic-authentication', { metadata, ignoresBasic: true }, habit)).toMatchObject({
    kind: 'inconclusive',
  });
  expect(await judge('client-authentication', {}, habit)).toMatchObject({
    kind: 'passed',
    reason: 'The server refused every request, though not as invalid_client: status 401.',
  });
});

/** Ends codes and tokens of earlier authorizations when a new one gives a code. */
function endEarlierGrants(): Habit {
  let living = new Set<string>();
  return async (request, send) => {
    const { pathname } = new URL(request.url);
    const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    if (pathname === '/data' && !living.has(token)) return json(401, { error: 'invalid_token' });
    if (pathname === '/token' && request.method === 'POST') {
      const code = (await readForm(request)).get('code');
      if (code !== null && !living.has(code)) return json(400, { error: 'invalid_grant' });
    }
    const answer = await send(request);
    const code = new URL(answer.headers.get('location') ?? 'https://small.example').searchParams.get('code');
    if (code !== null) living = new Set([code]);
    if (pathname === '/token' && answer.ok) living.add((await answer.clone().json()).access_token);
    return answer;
  };
}

test('what a new authorization ended is not taken for refused', async () => {
  // Its resource looks at no scope, and it revokes no access token.
  const options: SmallServerOptions = { enforcesScopes: 'narrow' };
  for (const control of ['scope-enforced', 'revocation-effective', 'revocation-cascade'])
    expect(await judge(control, options, endEarlierGrants()), control).toMatchObject({ kind: 'failed' });
  const waiting: SmallServerOptions = { opaqueTokens: 'stay', patience: 120 };
  for (const control of ['code-lifetime', 'token-expiry'])
    expect(await judge(control, waiting, endEarlierGrants()), control).toMatchObject({
      kind: 'inconclusive',
      reason: expect.stringContaining('new authorization ends'),
    });
});

test('pages of consent are read, not the login page alone', async () => {
  const page = { 'x-frame-options': 'DENY' };
  expect(await judge('frame-protection', { page }, askOnce())).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('asks for consent'),
  });
  expect(await judge('frame-protection', { page })).toMatchObject({ kind: 'passed' });
});

/** Asks for scopes of its own, whatever a request names. */
const grantEverything: Habit = async (request, send) => {
  const url = new URL(request.url);
  if (url.pathname !== '/authorize') return send(request);
  url.searchParams.set('scope', 'profile read');
  return send(new Request(url, { headers: request.headers }));
};

test('a token that was granted the scope unasked shows nothing about a token without it', async () => {
  const options: SmallServerOptions = { enforcesScopes: 'narrow', opaqueTokens: 'stay' };
  for (const control of ['scope-enforced', 'refresh-scope']) {
    expect(await judge(control, options), control).toMatchObject({ kind: 'passed' });
    expect(await judge(control, options, grantEverything), control).toMatchObject({
      kind: 'inconclusive',
      reason: expect.stringContaining('although it is not asked for'),
    });
  }
});

test('another scope of the metadata stands in where the client asks for one alone', async () => {
  const metadata = { scopes_supported: ['openid', 'read', 'write'] };
  expect(await judge('scope-enforced', { opaqueTokens: 'stay', metadata })).toMatchObject({ kind: 'failed' });
  expect(await judge('scope-enforced', { opaqueTokens: 'stay' })).toMatchObject({ kind: 'inconclusive' });
});

test('a server that gives no code without a scope has no token without it', async () => {
  const options: SmallServerOptions = { enforcesScopes: 'narrow', opaqueTokens: 'stay' };
  const wantRead: Habit = async (request, send) => {
    const { pathname, searchParams } = new URL(request.url);
    const isNarrow = pathname === '/authorize' && !searchParams.get('scope')?.includes('read');
    return isNarrow ? json(400, { error: 'invalid_scope' }) : send(request);
  };
  for (const control of ['scope-enforced', 'refresh-scope'])
    expect(await judge(control, options, wantRead), control).toMatchObject({ kind: 'not_applicable' });
});

test('an error without the state is a failure of low severity', async () => {
  const dropState: Habit = async (request, send) => {
    const answer = await send(request);
    const location = answer.headers.get('location');
    if (location === null || !location.includes('error=')) return answer;
    const url = new URL(location);
    url.searchParams.delete('state');
    return new Response(null, { status: 302, headers: { location: url.href } });
  };
  expect(await judge('state-intact', {})).toMatchObject({ kind: 'passed' });
  expect(await judge('state-intact', {}, dropState)).toMatchObject({ kind: 'failed', severity: 'low' });
});

test('short ids of signed tokens are no weakness if they differ', async () => {
  const shorten = (bytes: number): Habit => {
    const create = () => randomBytes(bytes).toString('base64url');
    return async (request, send) => {
      const answer = await send(request);
      if (new URL(request.url).pathname !== '/token' || !answer.ok) return answer;
      const { access_token, ...tokens } = await answer.json();
      const [head, payload, signature] = access_token.split('.');
      const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), jti: create() };
      const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
      return json(200, { ...tokens, access_token: `${head}.${changed}.${signature}` });
    };
  };
  expect(await judge('token-entropy', {}, shorten(12))).toMatchObject({ kind: 'passed' });
  expect(await judge('token-entropy', {}, shorten(4))).toMatchObject({ kind: 'failed' });
});

test('every redirect URI of a registration is judged', async () => {
  const registers = { error: 'invalid_redirect_uri' };
  const control = 'registration-redirect-uris';
  expect(await judge(control, { registers })).toMatchObject({ kind: 'passed' });
  expect(await judge(control, { registers: { ...registers, firstOnly: true } })).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('behind a sound one'),
  });
});

test('a session shows whether scripts may call the endpoint behind a login page that a script makes', async () => {
  const allow: Habit = async (request, send) => {
    const answer = await send(request);
    const headers = { ...Object.fromEntries(answer.headers), 'access-control-allow-origin': '*' };
    return request.headers.has('cookie') ? new Response(answer.body, { status: answer.status, headers }) : answer;
  };
  expect(await judge('authorize-cors', { asksByScript: true })).toMatchObject({ kind: 'passed' });
  expect(await judge('authorize-cors', { asksByScript: true }, allow)).toMatchObject({ kind: 'failed' });
});

test('an error to an unregistered address is found behind refusals that a script makes', async () => {
  const sendAnywhere: Habit = async (request, send) => {
    const { pathname, searchParams } = new URL(request.url);
    const isSilent = pathname === '/authorize' && searchParams.get('prompt') === 'none';
    const location = `${searchParams.get('redirect_uri')}?error=login_required`;
    return isSilent ? new Response(null, { status: 302, headers: { location } }) : send(request);
  };
  for (const options of [{ refusesByScript: true }, { refusesByScript: true, asksByScript: true }])
    expect(await judge('no-open-redirect-on-error', options, sendAnywhere)).toMatchObject({ kind: 'failed' });
});
