import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { type SmallServerOptions, smallServer } from '@/tests/fixtures/small-server';

/** What controls say of a server with these oddities. Waiting takes no time. */
async function findVerdicts(ids: readonly string[], options: SmallServerOptions, byResource = false) {
  const controls = CATALOGUE.filter(({ id }) => ids.includes(id));
  const random = (length: number) => randomBytes(length);
  let waited = 0;
  const sleep = async (milliseconds: number) => {
    waited += milliseconds;
  };
  const world = { clock: () => performance.now() + waited, sleep, random, controls };
  return assessAll(
    smallServer(options, byResource, () => Date.now() + waited),
    world,
  );
}

async function verdictOf(control: string, options: SmallServerOptions, byResource = false) {
  const [finding] = await findVerdicts([control], options, byResource);
  return finding?.verdict ?? { kind: 'missing', reason: control };
}

const page = (headers: Record<string, string>) => ({ page: headers });
const cookie = (text: string) => page({ 'set-cookie': text });
const csp = (policy: string) => page({ 'content-security-policy': policy });

const BROWSER_GRANTS = ['authorization_code', 'implicit', 'hybrid', 'refresh_token'];
const CONSISTENT = ['metadata-consistent', 'passed'] as const;
const CORS = 'cors-token-endpoint';
const CREDENTIALS = { 'access-control-allow-credentials': 'true' };
const FOREIGN = 'https://unregistered.example';

/** A server, in words; the control; what it must say, and a word of why. */
const EXPECTED: readonly [string, SmallServerOptions, string, string, RegExp?][] = [
  ['reads clients from the body alone', { ignoresBasic: true }, 'client-id-mixup', 'not_applicable', /body alone/],
  ['authenticates one client and serves another', {}, 'client-id-mixup', 'failed'],
  ['has a client on loopback', { redirectUri: 'http://localhost:3000/callback' }, 'redirect-uri-scheme', 'passed'],
  ['has a client on loopback', { redirectUri: 'http://localhost:3000/callback' }, 'strict-redirect-uri', 'passed'],
  [
    'has a client at the root of its host',
    { redirectUri: 'https://app.example.com/' },
    'strict-redirect-uri',
    'passed',
  ],
  ['has a client at port 8443', { redirectUri: 'https://app.example.com:8443/cb' }, 'strict-redirect-uri', 'passed'],
  ['refuses secrets in the query', {}, 'credentials-in-uri', 'passed'],
  ['reads secrets from the query', { readsQuery: true }, 'credentials-in-uri', 'failed'],
  [
    'reads the query, and takes any secret',
    { readsQuery: true, authenticatesNobody: true },
    'credentials-in-uri',
    'not_applicable',
    /client-authentication/,
  ],
  ['lets opaque tokens expire', { opaqueTokens: 'expire', patience: 120 }, 'token-expiry', 'passed'],
  ['keeps opaque tokens for ever', { opaqueTokens: 'stay', patience: 120 }, 'token-expiry', 'failed'],
  ['has opaque tokens that nobody waits for', { opaqueTokens: 'expire' }, 'token-expiry', 'inconclusive', /may wait 0/],
  ['redeems any code', { redeemsAnything: true }, 'code-invented', 'failed'],
  ['redeems any code', { redeemsAnything: true }, 'code-single-use', 'failed'],
  ['redeems any code', { redeemsAnything: true }, 'code-race', 'not_applicable', /code-single-use/],
  ['serves unknown clients', { servesAnybody: true }, 'no-open-redirect-on-error', 'failed'],
  ['serves unknown clients', { servesAnybody: true }, 'client-unknown', 'failed'],
  ['takes parameters twice', { takesParametersTwice: true }, 'duplicate-parameters', 'failed', /state twice/],
  ['refuses parameters twice', {}, 'duplicate-parameters', 'passed'],
  ['has passwords for the second client', { passwordClient: 'second' }, 'password-grant-every-client', 'failed'],
  ['has passwords for the second client', { passwordClient: 'second' }, 'no-password-grant', 'passed'],
  ['does not rotate', { rotates: false }, 'refresh-race', 'not_applicable', /refresh-rotation/],
  ['does not rotate', { rotates: false }, 'refresh-rotation', 'failed'],
  ['revokes nothing', { revokesNothing: true }, 'revocation-client-bound', 'not_applicable'],
  ['revokes nothing', { revokesNothing: true }, 'revocation-cascade', 'not_applicable'],
  ['revokes nothing', { revokesNothing: true }, 'revocation-effective', 'not_applicable'],
  ['issues the same token again', { withoutIds: true }, 'token-entropy', 'passed', /refresh tokens/],
  ['has no token endpoint for now', { tokenEndpointDown: true }, 'scope-limits', 'inconclusive'],
  [
    'advertises what this client may not use',
    { metadata: { response_types_supported: ['code', 'token', 'id_token'] } },
    'metadata-consistent',
    'passed',
  ],
  ['takes a state of every printable character', {}, 'require-state', 'failed', /without state/],
  ['takes a state of every printable character', {}, 'state-intact', 'passed'],
  ['shows a page that forbids framing', csp("frame-ancestors 'none'"), 'frame-protection', 'passed'],
  ['shows a page that forbids framing', csp("frame-ancestors 'none'"), 'content-security-policy', 'passed'],
  ['shows a page that anybody may frame', csp('frame-ancestors *'), 'frame-protection', 'failed'],
  ['shows a page that runs any script', csp("script-src * 'unsafe-inline'"), 'content-security-policy', 'failed'],
  ['shows a page without headers', page({}), 'content-security-policy', 'failed'],
  [
    'shows a page that hides its path',
    page({ 'referrer-policy': 'strict-origin-when-cross-origin' }),
    'referrer-policy',
    'passed',
  ],
  ['redirects without a page', {}, 'referrer-policy', 'not_applicable'],
  ['lets scripts read the session', cookie('session=1; Secure'), 'session-cookie', 'failed', /Without HttpOnly/],
  ['sends the session without TLS', cookie('session=1; HttpOnly'), 'session-cookie', 'failed', /Without Secure/],
  ['keeps the session from both', cookie('session=1; HttpOnly; Secure'), 'session-cookie', 'passed'],
  ['remembers a language', cookie('login_lang=de'), 'session-cookie', 'not_applicable'],
  ['has a cookie of session management', cookie('idsrv.session=1; Secure'), 'session-cookie', 'not_applicable'],
  ['removes a cookie', cookie('session=1; Expires=Mon, 05 Jan 2015 00:00:00 GMT'), 'session-cookie', 'not_applicable'],
  // A signed-in browser gets a code in silence: the member agreed earlier, or was never asked.
  ['asks a browser without a session', page({}), 'user-consent', 'inconclusive', /signed-in browser/],
  ['asks nobody who is signed in', { page: {}, isOpenId: true }, 'user-consent', 'failed', /prompt=consent/],
  ['asks nobody', {}, 'user-consent', 'failed'],
  ...['strict-redirect-uri', 'redirect-uri-wildcard', 'redirect-uri-scheme', 'code-pollution', 'redirect-uri-fragment']
    .concat('redirect-uri-confusion')
    .flatMap((control): typeof EXPECTED => [
      ['sends errors anywhere', { errorsGoAnywhere: true }, control, 'passed'],
      ['ignores redirect URIs', { ignoresRedirectUris: true }, control, 'passed', /registered|refused/],
    ]),
  ['sends errors anywhere', { errorsGoAnywhere: true }, 'no-open-redirect-on-error', 'failed'],
  ['reads the first of two parameters', { takesParametersTwice: true }, 'redirect-uri-confusion', 'passed'],
  [
    'reads the first of two parameters',
    { takesParametersTwice: true },
    'duplicate-parameters',
    'failed',
    /redirect_uri/,
  ],
  ['answers every revocation', {}, 'revocation-authentication', 'passed', /answers without credentials/],
  ['revokes for anybody', { anyoneRevokes: true }, 'revocation-authentication', 'failed', /: without credentials/],
  ['has no scopes', { hasNoScopes: true }, 'scope-limits', 'not_applicable', /no scopes/],
  ['grants any scope', {}, 'scope-limits', 'failed', /was granted/],
  [
    'grants any scope without a word',
    { omitsScopes: true, metadata: { scopes_supported: ['read'] } },
    'scope-limits',
    'failed',
    /names no scope/,
  ],
  ['omits scopes', { omitsScopes: true, enforcesScopes: 'narrow' }, 'refresh-scope', 'passed', /not widened/],
  ['omits scopes, and widens', { omitsScopes: true, enforcesScopes: 'widens' }, 'refresh-scope', 'failed'],
  ['names scopes, and widens', { enforcesScopes: 'widens' }, 'refresh-scope', 'failed'],
  ['ignores PKCE', { ignoresPkce: true, metadata: { code_challenge_methods_supported: undefined } }, ...CONSISTENT],
  ['lists a grant of the browser', { metadata: { grant_types_supported: BROWSER_GRANTS } }, ...CONSISTENT],
  [
    'lists a grant that it has not',
    { metadata: { grant_types_supported: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'] } },
    'metadata-consistent',
    'failed',
    /device_code is advertised/,
  ],
  ['allows every origin', { cors: { ...CREDENTIALS, 'access-control-allow-origin': '*' } }, CORS, 'passed', /wildcard/],
  ['allows this origin', { cors: { ...CREDENTIALS, 'access-control-allow-origin': FOREIGN } }, CORS, 'failed'],
  ...['strict-redirect-uri', 'redirect-uri-wildcard', 'redirect-uri-scheme', 'code-pollution', 'redirect-uri-fragment']
    .concat('redirect-uri-confusion', 'duplicate-parameters', 'no-open-redirect-on-error', 'client-unknown')
    .flatMap((control): typeof EXPECTED => [
      ['refuses by a page of a script', { refusesByScript: true }, control, 'passed'],
      ['refuses by a page of a script', { refusesByScript: true, page: {} }, control, 'passed'],
    ]),
  [
    'shows one page of a script for everything',
    { refusesByScript: true, asksByScript: true },
    'strict-redirect-uri',
    'inconclusive',
    /no refusal/,
  ],
  [
    'names in a script what one page shows',
    { refusesByScript: true, asksByScript: true, namesViews: true },
    'strict-redirect-uri',
    'passed',
  ],
  ['serves unknown clients', { refusesByScript: true, servesAnybody: true }, 'strict-redirect-uri', 'failed'],
  ...['invalid_request', 'invalid_grant', 'server_says_no'].map((grantError): (typeof EXPECTED)[number] => [
    'says the same of any grant',
    { grantError },
    'no-password-grant',
    'passed',
    /an invented grant/,
  ]),
  ['checks a password', { passwordClient: 'first', grantError: 'invalid_request' }, 'no-password-grant', 'failed'],
  ...(
    [
      ['Invalid "username" or "password" in request.', 'failed'],
      ['Bad credentials', 'failed'],
      ['The password grant is disabled', 'inconclusive'],
      ['Bad client credentials', 'inconclusive'],
      ['Username and password are not allowed', 'inconclusive'],
    ] as const
  ).map(([passwordError, kind]): (typeof EXPECTED)[number] => [
    'has passwords, and an error of its own',
    { passwordClient: 'first', passwordError },
    'no-password-grant',
    kind,
  ]),
  ...[
    { error: 'invalid_redirect_uri' },
    { error: 'invalid_client_metadata', error_description: 'redirect_uris must be https' },
    { error: 'invalid_client_metadata', error_description: 'Bad request' },
    { error: 'invalid_request' },
  ].map((registers): (typeof EXPECTED)[number] => [
    'registers clients',
    { registers },
    'registration-redirect-uris',
    'passed',
    /for its redirect URI|sound redirect URI/,
  ]),
  [
    'registers nobody',
    { registers: { error: 'invalid_request', nobody: true } },
    'registration-redirect-uris',
    'inconclusive',
  ],
  ['takes every challenge for one of S256', {}, 'pkce-s256', 'passed'],
  ['takes plain challenges', { takesPlain: true }, 'pkce-s256', 'failed', /plain/],
  ['ignores PKCE', { ignoresPkce: true }, 'pkce-s256', 'failed', /an unknown method/],
  ['ignores the resource', { opaqueTokens: 'stay' }, 'resource-target', 'not_applicable', /ignores the parameter/],
  ['issues tokens for any resource', { takesAnyAudience: true }, 'resource-target', 'failed'],
  ['leads on after the consent', { consentRedirect: 302 }, 'redirect-303', 'passed', /302/],
  ['repeats the consent to the client', { consentRedirect: 307 }, 'redirect-303', 'failed', /307/],
  ['offers secrets alone', {}, 'asymmetric-client-authentication', 'not_applicable', /recommended/],
];

test.each(EXPECTED)('a server that %s: %o, %s is %s', async (_what, options, control, kind, why = /./) => {
  const verdict = await verdictOf(control, options);
  expect(verdict).toEqual({ kind, reason: expect.stringMatching(why) });
});

test('the name of what was tried is not hidden like a secret', async () => {
  const findings = await findVerdicts(['token-altered', 'revocation-authentication'], { opaqueTokens: 'stay' });
  const [altered] = findings.filter(({ control }) => control === 'token-altered');
  expect(altered?.verdict.reason).toContain('an invented token');
});

test('a server may have a name of its own for the resource that is asked for', async () => {
  const verdict = (audience?: SmallServerOptions['audience']) =>
    verdictOf('resource-audience', { audience, takesAnyAudience: true });
  expect((await verdict()).kind).toBe('passed');
  expect((await verdict('own name')).kind).toBe('passed');
  expect(await verdict('always the same')).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/or not/) });
});

test('a resource that looks at no audience takes tokens that were made for another', async () => {
  expect((await verdictOf('token-passthrough', { takesAnyAudience: true }, true)).kind).toBe('failed');
  expect((await verdictOf('token-passthrough', {}, true)).kind).toBe('passed');
  expect((await verdictOf('validate-audience', { takesAnyAudience: true })).kind).toBe('failed');
  expect((await verdictOf('validate-audience', {})).kind).toBe('passed');
});

test.each([
  [900, 'passed', undefined],
  [901, 'failed', 'low'],
  [3600, 'failed', 'low'],
  [3601, 'failed', undefined],
])('a token that lives for %i seconds is %s, with severity %s', async (lifetime, kind, severity) => {
  expect(await verdictOf('short-token-lifetime', { lifetime })).toMatchObject({ kind, ...(severity && { severity }) });
});
