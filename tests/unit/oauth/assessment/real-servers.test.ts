import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { DEVICE_CLIENTS } from '@/lib/oauth/controls/token/device-clients';
import { DEVICE_FLOW } from '@/lib/oauth/controls/token/device-flow';
import { judgeProfiles } from '@/lib/oauth/report/profiles/judge-profile';
import { type Assessed, assessServer, everythingOf, idsOf } from '@/tests/fixtures/assess-server';
import { nodeOAuthServer } from '@/tests/fixtures/node-oauth-server';
import { CLIENTS, oidcServer, POST_LOGOUT_REDIRECT_URI, REDIRECT_URI } from '@/tests/fixtures/oidc-server';

// Servers that nobody here wrote. What each control must find there was judged by hand, by reading server and RFC; a
// comment says why each verdict but `passed` is right.

/** Everything that is expected not to pass; the rest of the catalogue must. */
function expectVerdicts(
  seen: Assessed,
  expected: Record<'failed' | 'not_applicable' | 'inconclusive', readonly string[]>,
) {
  const reasons = seen.findings.map(({ control, verdict }) => `${control}: ${verdict.kind}, ${verdict.reason}`);
  for (const kind of ['failed', 'not_applicable', 'inconclusive'] as const) {
    expect(idsOf(seen, kind), `${kind}\n${reasons.join('\n')}`).toEqual([...expected[kind]].sort());
  }
  const others = new Set(Object.values(expected).flat());
  expect(idsOf(seen, 'passed')).toEqual(
    CATALOGUE.map(({ id }) => id)
      .filter((id) => !others.has(id))
      .sort(),
  );
}

/** Only the server's own key could sign what these need: nobody outside can decide them. */
const NEEDS_KEY = ['issuer-validated', 'not-before', 'exp-required', 'aud-required', 'audience-exact'];
/** The development pages of oidc-provider send none of these headers: anybody may frame its login page. */
const BARE_PAGES = ['frame-protection', 'content-security-policy', 'referrer-policy'];
/** The servers speak plain HTTP on loopback, where that is allowed. */
const NO_TLS = ['tls-version', 'tls-certificate', 'tls-ciphers'];
/** No client has a certificate. */
const NO_CERTIFICATE = [
  'client-certificate',
  'client-certificate-header',
  'certificate-bound-tokens',
  'certificate-binding',
  'certificate-refresh-binding',
];
/** Judged by the URL of a resource, where clients register themselves, where a client gets tokens without a user, and of devices. */
const NOT_ASKED = [
  'token-passthrough',
  'registration-redirect-uris',
  'registration-token',
  'client-credentials-authentication',
  // No client with a key was given.
  'jar-parameters',
  // The device grant is not offered here: device-flow.test.ts judges it.
  ...[...DEVICE_FLOW, ...DEVICE_CLIENTS].map(({ id }) => id),
];
/** They offer no token exchange. */
const NO_EXCHANGE = CATALOGUE.map(({ id }) => id).filter((id) => id.startsWith('token-exchange-'));

/** What somebody outside can decide of a sound server, and was not decided. */
const undecidedOf = (seen: Assessed): string[] => idsOf(seen, 'inconclusive').filter((id) => !NEEDS_KEY.includes(id));

test('only what needs the key of the server cannot be decided from outside', () => {
  const needKey = CATALOGUE.filter(({ needs }) => needs.includes('server key')).map(({ id }) => id);
  expect(needKey.sort()).toEqual([...NEEDS_KEY].sort());
});

describe('oidc-provider', () => {
  const notApplicable = [
    ...NO_TLS,
    ...NOT_ASKED,
    ...NO_EXCHANGE,
    // The client has one redirect URI, which it need not name.
    'redirect-uri-required',
    // Its redirects end in no fragment, and it issues nothing in fragments.
    'fragment-fix',
    // It takes pushed requests and requires none; it takes no request objects.
    'par-required',
    'jar-signature',
    // No client with a key was given.
    'client-assertion',
    ...NO_CERTIFICATE,
    // Its ID tokens have no at_hash, which is optional beside a code (OpenID Connect Core 3.1.3.6).
    'id-token-at-hash',
    // Its access tokens are for its one resource, not for its UserInfo endpoint.
    'userinfo-subject',
    // The resource sends no Cache-Control: shared caches store nothing then (RFC 9111 section 3.5).
    'resource-no-store',
    // Its access tokens are signed: signature-verified judges what is altered.
    'token-altered',
    // Its access tokens are self-contained: it answers unsupported_token_type.
    'revocation-effective',
    'revocation-cascade',
  ];
  const undecided = [
    ...NEEDS_KEY,
    // It knows one resource, and issues no token for another.
    'validate-audience',
    // Nothing may be waited for here; below it may.
    'code-lifetime',
    'token-expiry',
  ];

  test('sound', async () => {
    await using server = await oidcServer({ consent: 'ask' });
    const seen = await assessServer(everythingOf(server, { cookie: await server.signIn() }));
    expect(seen.preflight.filter(({ ok }) => ok !== true)).toEqual([]);
    expectVerdicts(seen, {
      failed: BARE_PAGES,
      // It gives no code without a challenge, so nothing can be downgraded.
      not_applicable: [...notApplicable, 'pkce-downgrade'],
      inconclusive: undecided,
    });
    expect(undecidedOf(seen).length).toBeLessThanOrEqual(6);
    const [fapi, basic] = judgeProfiles(
      seen.findings.map(({ control, verdict, exchanges }) => ({
        ...{ control, verdict: verdict.kind, exchanges: [...exchanges] },
      })),
    );
    // As configured here it takes public clients, secrets, plain requests and pushed ones without a redirect URI, HS256 and RS256, issues bearer tokens, and
    // rotates refresh tokens.
    expect(fapi?.clauses.filter(({ state }) => state === 'violated').map(({ requirement }) => requirement)).toEqual([
      'Only confidential clients are supported.',
      'Only sender-constrained access tokens are issued.',
      'Clients authenticate with a key or a certificate.',
      'Refresh tokens do not rotate.',
      'Authorization requests that were not pushed are refused.',
      'A pushed request names its redirect URI.',
      'Client assertions are signed with PS256, ES256 or EdDSA.',
    ]);
    // It is certified as a Basic OP.
    expect(basic?.clauses.filter(({ state }) => state === 'violated' || state === 'undecided')).toEqual([]);
    expect([fapi?.grade, basic?.grade]).toEqual(['D', 'A']);
  });

  test('sound, with a confidential client', async () => {
    await using server = await oidcServer({ consent: 'first-party', confidential: true });
    const client = {
      client_id: CLIENTS.main,
      redirect_uri: REDIRECT_URI,
      post_logout_redirect_uri: POST_LOGOUT_REDIRECT_URI,
      authentication: 'post',
      secret: CLIENTS.secret,
    };
    const seen = await assessServer(everythingOf(server, { client, cookie: await server.signIn() }));
    expectVerdicts(seen, {
      failed: BARE_PAGES,
      // A refresh token of a confidential client is bound to its credentials (RFC 9700 section 2.2.2).
      not_applicable: [...notApplicable, 'pkce-downgrade', 'refresh-rotation', 'dpop-refresh-binding'],
      inconclusive: undecided,
    });
    expect(undecidedOf(seen).length).toBeLessThanOrEqual(6);
  });

  test('weakened: PKCE optional, redirect URIs by prefix, no rotation', async () => {
    await using server = await oidcServer({ consent: 'first-party', weakened: true });
    const seen = await assessServer(everythingOf(server, { cookie: await server.signIn() }));
    expectVerdicts(seen, {
      failed: [
        ...BARE_PAGES,
        // Whatever begins like the registered address is taken.
        'strict-redirect-uri',
        'redirect-uri-wildcard',
        'redirect-uri-fragment',
        'redirect-uri-confusion',
        'code-pollution',
        'logout-redirect-uri',
        // The prefix rule replaces that for loopback addresses.
        'loopback-port',
        // Without PKCE nothing ties a request without state and nonce to its response.
        'require-pkce',
        'require-state',
        'refresh-rotation',
      ],
      not_applicable: [
        ...notApplicable,
        // Where tokens do not rotate, there is no old one to reuse and no family to fork.
        ...['refresh-reuse-revokes', 'refresh-race'],
        // It takes those addresses without pushing, too.
        'par-redirect-uri',
      ],
      inconclusive: undecided,
    });
    expect(undecidedOf(seen).length).toBeLessThanOrEqual(6);
  });

  test('without a session: pages are compared', async () => {
    await using server = await oidcServer({ consent: 'ask' });
    const seen = await assessServer(everythingOf(server));
    const passed = idsOf(seen, 'passed');
    expect(idsOf(seen, 'failed')).toEqual([...BARE_PAGES].sort());
    for (const id of ['strict-redirect-uri', 'redirect-uri-wildcard', 'require-pkce', 'pkce-s256', 'loopback-port']) {
      expect(passed).toContain(id);
    }
    expect(seen.preflight.find(({ what }) => what === 'session')).toMatchObject({ ok: false });
  });

  test('by the issuer alone at least 12 controls are decided', async () => {
    await using server = await oidcServer({ consent: 'ask' });
    const seen = await assessServer({ issuer: server.issuer });
    expect(idsOf(seen, 'failed')).toEqual([]);
    expect(idsOf(seen, 'passed', 'failed').length).toBeGreaterThanOrEqual(12);
  });

  test('waiting shows how long codes and tokens live', async () => {
    // The server runs in this process, and only waiting moves its time.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const time = {
      clock: () => Date.now(),
      sleep: async (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds),
    };
    await using server = await oidcServer({ consent: 'first-party', lifetimes: { code: 2, token: 2 } });
    const description = everythingOf(server, { cookie: await server.signIn(), patience_seconds: 8 });
    const seen = await assessServer(description, { controls: ['code-lifetime', 'token-expiry'], time });
    expect(idsOf(seen, 'passed')).toEqual(['code-lifetime', 'token-expiry']);
  });
});

describe('@node-oauth/oauth2-server', () => {
  // Its access tokens are opaque: nothing in them can be forged.
  const opaque = [
    'signature-verified',
    'alg-none',
    'alg-confusion',
    'token-secret',
    'header-key-ignored',
    'kid-unknown',
  ];
  const absent = [
    ...NO_TLS,
    ...NOT_ASKED,
    ...NEEDS_KEY,
    ...opaque,
    'validate-audience',
    // It shows no page: whoever asks gets an answer at once.
    ...BARE_PAGES,
    'redirect-303',
    'consent-ticket-once',
    'session-cookie',
    // It has no PAR, no DPoP, no ID tokens, no revocation, no introspection and no keys.
    ...CATALOGUE.map(({ id }) => id).filter((id) => /^(par($|-)|dpop-|id-token-|userinfo-|revocation-)/.test(id)),
    'sender-constrained',
    'nonce-returned',
    'max-age',
    'introspection-authentication',
    'jwks-strength',
    // Nor form_post, request objects, or metadata of the resource, by which tokens could be asked for it.
    'form-post',
    'jar-signature',
    'protected-resource-metadata',
    'resource-audience',
    // No native client, no client with a key and no second redirect URI were given.
    'loopback-port',
    'client-assertion',
    ...NO_CERTIFICATE,
    'redirect-uri-required',
    // As for oidc-provider.
    'fragment-fix',
    'resource-no-store',
    // It offers secrets, which RFC 9700 section 2.5 advises against and allows.
    'asymmetric-client-authentication',
    // Nobody authenticates at all: client-authentication says so.
    'refresh-authentication',
    'credentials-in-uri',
    // It ignores the parameter: what was asked for another resource opens this one.
    'resource-target',
    ...NO_EXCHANGE,
    // It has no logout.
    'logout-confirmation',
    'logout-redirect-uri',
    'logout-hint',
    'logout-state',
  ];
  const description = (server: { issuer: string; resource: string }) =>
    everythingOf(server, { scope: 'read profile', native_client: undefined });

  /** What the library does whatever its model is. */
  const ofLibrary = [
    // PKCE is optional, and a challenge may be any text. One without a method is of S256.
    'require-pkce',
    'pkce-challenge-syntax',
    // The server around it reads the last of repeated parameters.
    'duplicate-parameters',
    'token-duplicate-parameters',
    'issuer-in-response',
    // Everybody is taken for signed in, and nobody is asked.
    'user-consent',
    // It was told to authenticate nobody, which it may be for public clients alone.
    'client-authentication',
    // It revokes the old refresh token alone, never a family.
    'refresh-reuse-revokes',
  ];
  // Nothing may be waited for.
  const undecided = ['code-lifetime', 'token-expiry'];

  test('a sound model', async () => {
    await using server = await nodeOAuthServer();
    expectVerdicts(await assessServer(description(server)), {
      // A used code is gone: its reuse is refused, and the tokens of the first use live on.
      failed: [...ofLibrary, 'code-reuse-revokes'],
      not_applicable: absent,
      inconclusive: undecided,
    });
  });

  test('a weak model', async () => {
    await using server = await nodeOAuthServer({ weakened: true });
    expectVerdicts(await assessServer(description(server)), {
      failed: [
        ...ofLibrary,
        // Redirect URIs go by prefix.
        'strict-redirect-uri',
        'redirect-uri-wildcard',
        'redirect-uri-fragment',
        'redirect-uri-confusion',
        'code-pollution',
        'require-state',
        'scope-limits',
        // Of the second client alone.
        'password-grant-every-client',
        'code-single-use',
        // A day.
        'short-token-lifetime',
      ],
      // Codes can be reused, at once or later.
      not_applicable: [...absent, 'code-reuse-revokes', 'code-race'],
      inconclusive: undecided,
    });
  });
});
