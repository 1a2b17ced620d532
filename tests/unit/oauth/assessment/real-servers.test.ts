import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { type Assessed, assessServer, everythingOf, idsOf } from '@/tests/fixtures/assess-server';
import { nodeOAuthServer } from '@/tests/fixtures/node-oauth-server';
import { CLIENTS, oidcServer, REDIRECT_URI } from '@/tests/fixtures/oidc-server';

// Servers that nobody here wrote. What each control must find there was judged by hand, by reading server and RFC.

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
/** The development pages of oidc-provider send none of these headers. */
const BARE_PAGES = ['frame-protection', 'content-security-policy', 'referrer-policy'];
const NO_TLS = ['tls-version', 'tls-certificate', 'tls-ciphers'];
/** Judged by the URL of a resource, and where clients register themselves. */
const NOT_ASKED = ['token-passthrough', 'registration-redirect-uris'];

describe('oidc-provider', () => {
  const notApplicable = [
    ...NO_TLS,
    ...NOT_ASKED,
    'redirect-uri-required',
    'fragment-fix',
    'redirect-303',
    'par-required',
    'jar-signature',
    'client-assertion',
    'id-token-at-hash',
    'resource-no-store',
    // Its access tokens are self-contained: it answers unsupported_token_type.
    'revocation-effective',
    'revocation-cascade',
  ];
  // One resource: it issues no token for another. Nothing may be waited for.
  const undecided = [...NEEDS_KEY, 'validate-audience', 'code-lifetime', 'token-expiry'];

  test.each(['ask', 'first-party'] as const)('sound (%s)', { timeout: 120_000 }, async (consent) => {
    await using server = await oidcServer({ consent });
    const seen = await assessServer(everythingOf(server, { cookie: await server.signIn() }));
    expect(seen.preflight.filter(({ ok }) => ok !== true)).toEqual([]);
    expectVerdicts(seen, {
      failed: BARE_PAGES,
      not_applicable: [...notApplicable, 'pkce-downgrade'],
      inconclusive: undecided,
    });
  });

  test('sound, with a confidential client', { timeout: 120_000 }, async () => {
    await using server = await oidcServer({ consent: 'first-party', confidential: true });
    const client = {
      client_id: CLIENTS.main,
      redirect_uri: REDIRECT_URI,
      authentication: 'post',
      secret: CLIENTS.secret,
    };
    const seen = await assessServer(everythingOf(server, { client, cookie: await server.signIn() }));
    expectVerdicts(seen, {
      failed: BARE_PAGES,
      not_applicable: [...notApplicable, 'pkce-downgrade', 'refresh-rotation', 'dpop-refresh-binding'],
      inconclusive: undecided,
    });
  });

  test('weakened: PKCE optional, redirect URIs by prefix, no rotation', { timeout: 120_000 }, async () => {
    await using server = await oidcServer({ consent: 'first-party', weakened: true });
    const seen = await assessServer(everythingOf(server, { cookie: await server.signIn() }));
    expectVerdicts(seen, {
      failed: [
        ...BARE_PAGES,
        'strict-redirect-uri',
        'redirect-uri-wildcard',
        'redirect-uri-fragment',
        'redirect-uri-confusion',
        'code-pollution',
        'require-pkce',
        'require-state',
        'refresh-rotation',
        // The prefix rule replaces that for loopback addresses.
        'loopback-port',
      ],
      not_applicable: [...notApplicable, 'refresh-reuse-revokes', 'refresh-race'],
      inconclusive: undecided,
    });
  });

  test('without a session: pages are compared', { timeout: 120_000 }, async () => {
    await using server = await oidcServer({ consent: 'ask' });
    const seen = await assessServer(everythingOf(server));
    const passed = idsOf(seen, 'passed');
    expect(idsOf(seen, 'failed')).toEqual([...BARE_PAGES].sort());
    for (const id of ['strict-redirect-uri', 'redirect-uri-wildcard', 'require-pkce', 'pkce-s256', 'loopback-port']) {
      expect(passed).toContain(id);
    }
    expect(seen.preflight.find(({ what }) => what === 'session')).toMatchObject({ ok: false });
  });

  test('by the issuer alone at least 12 controls are decided', { timeout: 120_000 }, async () => {
    await using server = await oidcServer({ consent: 'ask' });
    const seen = await assessServer({ issuer: server.issuer });
    expect(idsOf(seen, 'failed')).toEqual([]);
    expect(idsOf(seen, 'passed').length).toBeGreaterThanOrEqual(12);
  });

  test('waiting shows how long codes and tokens live', { timeout: 120_000 }, async () => {
    await using server = await oidcServer({ consent: 'first-party', lifetimes: { code: 2, token: 2 } });
    const description = everythingOf(server, { cookie: await server.signIn(), patience_seconds: 8 });
    const seen = await assessServer(description, { controls: ['code-lifetime', 'token-expiry'] });
    expect(idsOf(seen, 'passed')).toEqual(['code-lifetime', 'token-expiry']);
  });
});

describe('@node-oauth/oauth2-server', () => {
  const opaque = [
    'signature-verified',
    'alg-none',
    'alg-confusion',
    'token-type-header',
    'header-key-ignored',
    'kid-unknown',
  ];
  const absent = [
    ...NO_TLS,
    ...NOT_ASKED,
    ...NEEDS_KEY,
    ...BARE_PAGES,
    ...opaque,
    ...CATALOGUE.map(({ id }) => id).filter((id) => /^(par($|-)|dpop-|id-token-|revocation-)/.test(id)),
    'validate-audience',
    'sender-constrained',
    'loopback-port',
    'redirect-uri-required',
    'nonce-returned',
    'fragment-fix',
    'form-post',
    'redirect-303',
    'consent-ticket-once',
    'jar-signature',
    'introspection-authentication',
    'client-assertion',
    'resource-no-store',
    'protected-resource-metadata',
    'jwks-strength',
    'resource-audience',
    // It offers secrets, which RFC 9700 section 2.5 advises against and allows.
    'asymmetric-client-authentication',
    // Nobody authenticates at all: client-authentication says so.
    'refresh-authentication',
  ];
  const description = (server: { issuer: string; resource: string }) =>
    everythingOf(server, { scope: 'read profile', native_client: undefined });

  test('a sound model', { timeout: 60_000 }, async () => {
    await using server = await nodeOAuthServer();
    expectVerdicts(await assessServer(description(server)), {
      failed: [
        'require-pkce',
        'pkce-s256',
        'pkce-challenge-syntax',
        'duplicate-parameters',
        'token-duplicate-parameters',
        'issuer-in-response',
        'user-consent',
        'client-authentication',
        'code-reuse-revokes',
        'refresh-reuse-revokes',
      ],
      not_applicable: absent,
      inconclusive: ['resource-target', 'code-lifetime', 'token-expiry'],
    });
  });

  test('a weak model', { timeout: 60_000 }, async () => {
    await using server = await nodeOAuthServer({ weakened: true });
    expectVerdicts(await assessServer(description(server)), {
      failed: [
        'strict-redirect-uri',
        'redirect-uri-wildcard',
        'redirect-uri-fragment',
        'redirect-uri-confusion',
        'code-pollution',
        'require-pkce',
        'pkce-s256',
        'pkce-challenge-syntax',
        'require-state',
        'scope-limits',
        'duplicate-parameters',
        'token-duplicate-parameters',
        'issuer-in-response',
        'user-consent',
        'client-authentication',
        'password-grant-every-client',
        'code-single-use',
        'refresh-reuse-revokes',
        'short-token-lifetime',
      ],
      not_applicable: [...absent, 'code-reuse-revokes', 'code-race'],
      inconclusive: ['resource-target', 'code-lifetime', 'token-expiry'],
    });
  });
});
