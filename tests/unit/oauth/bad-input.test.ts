import { describe, expect, test } from 'vitest';
import { AUTHORIZATION, BASIC, CALLBACK, makeLab, ORIGIN } from './lab-fixture';

const lab = makeLab();

/** What every refusal looks like. */
async function expectError(answer: Response, status: number, error: string, blockedBy?: string[]) {
  const body = await answer.json();
  expect({ status: answer.status, error: body.error }).toEqual({ status, error });
  expect(typeof body.error_description).toBe('string');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('location')).toBeNull();
  if (blockedBy === undefined) expect(Array.isArray(body.blocked_by)).toBe(true);
  else expect(body.blocked_by.sort()).toEqual(blockedBy.sort());
  return body;
}

describe('authorization parameters', () => {
  const cases: [string, Record<string, string | undefined>, string, string[]?][] = [
    ['no client_id', { client_id: undefined }, 'invalid_request', []],
    ['unknown client', { client_id: 'nobody' }, 'invalid_request', []],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request', ['redirect-uri-required']],
    ['relative redirect_uri', { redirect_uri: '/callback' }, 'invalid_request', []],
    ['foreign host', { redirect_uri: 'https://evil.example/callback' }, 'invalid_request', ['strict-redirect-uri']],
    ['added path', { redirect_uri: `${CALLBACK}/more` }, 'invalid_request', ['strict-redirect-uri']],
    [
      'traversal',
      { redirect_uri: 'https://app.example.com/x/../callback' },
      'invalid_request',
      ['strict-redirect-uri'],
    ],
    [
      'encoded dots',
      { redirect_uri: 'https://app.example.com/%2e%2e/callback' },
      'invalid_request',
      ['strict-redirect-uri'],
    ],
    ['added query', { redirect_uri: `${CALLBACK}?a=b` }, 'invalid_request', ['strict-redirect-uri']],
    [
      'user information',
      { redirect_uri: 'https://x@app.example.com/callback' },
      'invalid_request',
      ['strict-redirect-uri'],
    ],
    ['port', { redirect_uri: 'https://app.example.com:444/callback' }, 'invalid_request', ['strict-redirect-uri']],
    [
      'the default port',
      { redirect_uri: 'https://app.example.com:443/callback' },
      'invalid_request',
      ['strict-redirect-uri'],
    ],
    ['letter case', { redirect_uri: 'https://app.example.com/Callback' }, 'invalid_request', ['strict-redirect-uri']],
    [
      'case of the host',
      { redirect_uri: 'https://APP.example.com/callback' },
      'invalid_request',
      ['strict-redirect-uri'],
    ],
    ['trailing slash', { redirect_uri: `${CALLBACK}/` }, 'invalid_request', ['strict-redirect-uri']],
    [
      'suffix',
      { redirect_uri: `${CALLBACK}.evil.example` },
      'invalid_request',
      ['strict-redirect-uri', 'redirect-uri-wildcard'],
    ],
    [
      'http',
      { redirect_uri: 'http://app.example.com/callback' },
      'invalid_request',
      ['strict-redirect-uri', 'redirect-uri-scheme'],
    ],
    [
      'javascript',
      { redirect_uri: 'javascript:alert(1)' },
      'invalid_request',
      ['strict-redirect-uri', 'redirect-uri-scheme'],
    ],
    ['data', { redirect_uri: 'data:text/html,x' }, 'invalid_request', ['strict-redirect-uri', 'redirect-uri-scheme']],
    [
      'fragment',
      { redirect_uri: `${CALLBACK}#x` },
      'invalid_request',
      ['strict-redirect-uri', 'redirect-uri-fragment'],
    ],
    ['control character', { redirect_uri: `${CALLBACK}\u0000` }, 'invalid_request'],
    ['no response_type', { response_type: undefined }, 'invalid_request', []],
    ['token', { response_type: 'token' }, 'unsupported_response_type', ['response-type-code']],
    ['code token', { response_type: 'code token' }, 'unsupported_response_type', ['response-type-code']],
    ['unknown response_type', { response_type: 'coffee' }, 'unsupported_response_type', []],
    ['fragment', { response_mode: 'fragment' }, 'invalid_request', []],
    ['request object', { request: 'e30.e30.' }, 'invalid_request_object', ['jar-signature']],
    ['foreign request_uri', { request_uri: 'https://evil.example/r' }, 'invalid_request_uri', []],
    ['unknown request_uri', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request_uri', []],
    [
      'no challenge',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
      ['require-pkce'],
    ],
    ['method without challenge', { code_challenge: undefined }, 'invalid_request', ['require-pkce']],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request', ['pkce-s256']],
    ['no method', { code_challenge_method: undefined }, 'invalid_request', ['pkce-s256']],
    ['unknown method', { code_challenge_method: 'S512' }, 'invalid_request', []],
    ['42 characters', { code_challenge: 'a'.repeat(42) }, 'invalid_request', ['pkce-challenge-syntax']],
    ['129 characters', { code_challenge: 'a'.repeat(129) }, 'invalid_request', ['pkce-challenge-syntax']],
    ['padding', { code_challenge: `${'a'.repeat(43)}=` }, 'invalid_request', ['pkce-challenge-syntax']],
    ['other alphabet', { code_challenge: `${'a'.repeat(42)}+` }, 'invalid_request', ['pkce-challenge-syntax']],
    ['state too long', { state: 'x'.repeat(8192) }, 'invalid_request', []],
    ['unknown scope', { scope: 'profile admin' }, 'invalid_scope', ['scope-limits']],
    ['malformed scope', { scope: 'pro"file' }, 'invalid_scope', []],
    ['blank scope', { scope: '   ' }, 'invalid_scope', []],
    ['relative resource', { resource: 'other' }, 'invalid_target', ['resource-target']],
    ['resource with fragment', { resource: 'https://a.example/#x' }, 'invalid_target', ['resource-target']],
    ['empty client_id', { client_id: '' }, 'invalid_request', []],
  ];
  test.each(cases)('%s', async (_, fields, error, blockedBy) => {
    const body = await expectError(await lab.authorize(fields), 400, error, blockedBy);
    for (const value of Object.values(fields))
      if (value && value.length > 12) expect(body.error_description).not.toContain(value);
  });

  test.each(Object.keys(AUTHORIZATION))('%s twice is invalid_request', async (name) => {
    const body = new URLSearchParams(AUTHORIZATION);
    body.append(name, 'another');
    const answer = await lab.send('/auth/authorize', { method: 'POST', body });
    expect(answer.status).toBe(400);
    expect((await answer.json()).blocked_by).toContain('duplicate-parameters');
  });

  test('a client_id in the query has to agree', async () => {
    await expectError(
      await lab.form('/auth/authorize?client_id=demo-confidential', AUTHORIZATION),
      400,
      'invalid_request',
      ['client-id-mixup'],
    );
  });

  test('unknown and empty parameters do no harm', async () => {
    const answer = await lab.authorize({ flavour: 'vanilla', constructor: 'x', ['__proto__']: 'y', nonce: '' });
    expect(answer.status).toBe(200);
  });
});

describe('bodies', () => {
  const post = (path: string, body: BodyInit | null, type?: string) =>
    lab.send(path, { method: 'POST', body, ...(type === undefined ? {} : { headers: { 'content-type': type } }) });
  const cases: [string, BodyInit | null, string | undefined, number, string][] = [
    ['no body and no type', null, undefined, 400, 'invalid_request'],
    ['text', 'a=b', 'text/plain', 400, 'invalid_request'],
    ['multipart', '--x--', 'multipart/form-data; boundary=x', 400, 'invalid_request'],
    ['XML', '<a/>', 'application/xml', 400, 'invalid_request'],
    ['JSON array', '[]', 'application/json', 400, 'invalid_request'],
    ['JSON text', '"x"', 'application/json', 400, 'invalid_request'],
    ['JSON null', 'null', 'application/json', 400, 'invalid_request'],
    ['JSON cut off', '{"client_id":', 'application/json', 400, 'invalid_request'],
    ['JSON with a trailing comma', '{"a":"b",}', 'application/json', 400, 'invalid_request'],
    ['JSON number', '{"client_id":1}', 'application/json', 400, 'invalid_request'],
    ['JSON object inside', '{"client_id":{"a":"b"}}', 'application/json', 400, 'invalid_request'],
    ['JSON list', '{"client_id":["demo-client"]}', 'application/json', 400, 'invalid_request'],
    ['JSON nested deeply', '['.repeat(60_000), 'application/json', 400, 'invalid_request'],
    ['JSON repeated name', '{"state":"a","state":"b"}', 'application/json', 400, 'invalid_request'],
    ['empty JSON', '', 'application/json', 400, 'invalid_request'],
    ['invalid UTF-8', new Uint8Array([0x61, 0x3d, 0xff]), 'application/x-www-form-urlencoded', 400, 'invalid_request'],
    ['more than 64 KiB', `a=${'x'.repeat(65_536)}`, 'application/x-www-form-urlencoded', 413, 'payload_too_large'],
  ];
  const paths = [
    '/auth/authorize',
    '/auth/token',
    '/auth/revoke',
    '/auth/introspect',
    '/auth/par',
    '/auth/device_authorization',
  ];
  test.each(paths.flatMap((path) => cases.map((row) => [path, ...row] as const)))(
    '%s: %s',
    async (path, _, body, type, status, error) => {
      const answer = await post(path, body, type);
      const shown = await answer.clone().json();
      expect(answer.status === status || (shown.error === 'invalid_client' && answer.status === 401)).toBe(true);
      if (path === '/auth/authorize') await expectError(answer, status, error);
    },
  );

  test('a body that grows while it is read is cut off', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(new TextEncoder().encode('a=b&'.repeat(4096)));
      },
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await lab.send('/auth/token', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
    expect(answer.status).toBe(413);
    expect(sent).toBeLessThan(20);
  });
});

describe('token parameters', () => {
  const cases: [string, Record<string, string>, number, string, string[]?][] = [
    ['no grant_type', { grant_type: '' }, 400, 'invalid_request'],
    ['unknown grant_type', { grant_type: 'magic' }, 400, 'unsupported_grant_type', []],
    ['a grant_type of every object', { grant_type: 'constructor' }, 400, 'unsupported_grant_type', []],
    [
      'password',
      { grant_type: 'password', username: 'a', password: 'b' },
      400,
      'unsupported_grant_type',
      ['no-password-grant'],
    ],
    ['client credentials', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type', []],
    ['no code', { code: '' }, 400, 'invalid_request', []],
    ['unknown code', { code: 'nonsense' }, 400, 'invalid_grant', []],
    ['no client', { client_id: '' }, 401, 'invalid_client'],
    ['unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['secret of a public client', { client_secret: 'x' }, 401, 'invalid_client', []],
    ['client assertion', { client_assertion: 'x' }, 401, 'invalid_client', []],
    ['wrong verifier', { code_verifier: 'a'.repeat(43) }, 400, 'invalid_grant', ['pkce-verified']],
    ['no verifier', { code_verifier: '' }, 400, 'invalid_grant', ['pkce-verified']],
    ['short verifier', { code_verifier: 'short' }, 400, 'invalid_grant', ['pkce-verified']],
    [
      'challenge as verifier',
      { code_verifier: AUTHORIZATION.code_challenge },
      400,
      'invalid_grant',
      ['pkce-method-downgrade', 'pkce-verified'],
    ],
    [
      'another redirect_uri',
      { redirect_uri: `${ORIGIN}/oauth/callback` },
      400,
      'invalid_grant',
      ['code-redirect-binding'],
    ],
    ['another client', { client_id: 'demo-native' }, 400, 'invalid_grant', ['code-client-binding']],
    ['bad resource', { resource: 'nonsense' }, 400, 'invalid_target', ['resource-target']],
  ];
  test.each(cases)('%s', async (_, fields, status, error, blockedBy) => {
    await expectError(await lab.redeem(await lab.codeFor(), fields), status, error, blockedBy);
  });

  const basics = [
    'Basic',
    'Basic !!!',
    'Basic YQ',
    'Basic Og==',
    `Basic ${Buffer.from('no colon').toString('base64')}`,
    'Bearer abc',
    `Basic ${Buffer.from('%zz:x').toString('base64')}`,
    'Basic /w==',
  ];
  test.each(basics)('broken Basic: %s', async (authorization) => {
    const answer = await lab.form(
      '/auth/token',
      { grant_type: 'authorization_code', code: 'x' },
      { headers: { authorization } },
    );
    expect(answer.headers.get('www-authenticate')).toContain('Basic');
    await expectError(answer, 401, 'invalid_client', []);
  });

  test('two ways of client authentication', async () => {
    const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_secret: 'demo-secret' };
    await expectError(
      await lab.form('/auth/token', fields, { headers: { authorization: BASIC } }),
      400,
      'invalid_request',
    );
  });

  test('two clients in one request', async () => {
    const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'demo-client' };
    const answer = await lab.form('/auth/token', fields, { headers: { authorization: BASIC } });
    expect((await answer.json()).blocked_by).toEqual(['client-id-mixup']);
  });

  test('credentials in the URL', async () => {
    const answer = await lab.form('/auth/token?client_secret=demo-secret', {
      grant_type: 'refresh_token',
      client_id: 'demo-confidential',
    });
    expect((await answer.json()).blocked_by).toContain('credentials-in-uri');
  });

  test('a repeated parameter', async () => {
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'x', client_id: 'demo-client' });
    body.append('code', 'y');
    const answer = await lab.send('/auth/token', { method: 'POST', body });
    expect((await answer.json()).blocked_by).toContain('duplicate-parameters');
  });
});

describe('methods', () => {
  test.each([
    ['/auth/token', 'GET', 'POST, OPTIONS'],
    ['/auth/revoke', 'PUT', 'POST, OPTIONS'],
    ['/auth/authorize', 'DELETE', 'GET, HEAD, POST, OPTIONS'],
    ['/api/data', 'POST', 'GET, HEAD, OPTIONS'],
    ['/auth/jwks', 'PATCH', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405 with Allow', async (path, method, allow) => {
    const answer = await lab.send(path, { method });
    expect(answer.headers.get('allow')).toBe(allow);
    await expectError(answer, 405, 'method_not_allowed');
  });
});

describe('/api/data', () => {
  test('without a token there is a bare challenge', async () => {
    const answer = await lab.send('/api/data');
    const details = `realm="sluice-lab", resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/api/data"`;
    const algorithms = details.replace(',', ', algs="ES256 EdDSA Ed25519 PS256 RS256",');
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer ${details}, DPoP ${algorithms}`);
    await expectError(answer, 401, 'invalid_token', []);
  });

  test.each([
    'Bearer',
    'Bearer a, Bearer b',
    'Bearer a b',
    'Basic YTpi',
    'Bearer a.b.c',
    'Bearer e30.e30.',
    `Bearer ${'a'.repeat(10_240)}`,
    'Token x',
  ])('%s is 401 invalid_token', async (authorization) => {
    const answer = await lab.send('/api/data', { headers: { authorization } });
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    await expectError(answer, 401, 'invalid_token');
  });

  test('the scheme is compared without regard to case (RFC 9110 section 11.1)', async () => {
    const { access_token } = await lab.tokensFor();
    expect((await lab.data(access_token, undefined, 'bearer')).status).toBe(200);
  });

  test('a token in the query is 401, a token in both places is 400', async () => {
    const { access_token } = await lab.tokensFor();
    const query = `/api/data?access_token=${access_token}`;
    await expectError(await lab.send(query), 401, 'invalid_token', ['no-token-in-query']);
    await expectError(
      await lab.send(query, { headers: { authorization: `Bearer ${access_token}` } }),
      400,
      'invalid_request',
    );
  });

  test('a token without the scope is 403 insufficient_scope', async () => {
    const { access_token } = await lab.tokensFor({ scope: 'openid' });
    const answer = await lab.data(access_token);
    expect(answer.headers.get('www-authenticate')).toContain('scope="profile"');
    await expectError(answer, 403, 'insufficient_scope', ['scope-enforced']);
  });

  test('an ID token is refused for every reason there is', async () => {
    const { id_token } = await lab.tokensFor();
    await expectError(await lab.data(id_token), 401, 'invalid_token', [
      'scope-enforced',
      'token-type-header',
      'validate-audience',
    ]);
  });
});
