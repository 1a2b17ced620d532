import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { remoteTarget } from '@/lib/oauth/assessment/remote-target';
import { type AssessmentStep, assess, type Finding } from '@/lib/oauth/assessment/run';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { loopbackNetwork } from '@/tests/fixtures/loopback';
import { nodeOAuthServer } from '@/tests/fixtures/node-oauth-server';
import { CLIENTS, oidcServer, REDIRECT_URI, SCOPE } from '@/tests/fixtures/oidc-server';
import { wall } from '@/tests/fixtures/wall';

/** Servers that nobody here wrote. What each control must find there was judged by hand, by reading server and RFC. */
interface Seen {
  findings: readonly Finding[];
  preflight: Extract<AssessmentStep, { type: 'preflight' }>['checks'];
}

async function assessServer(description: unknown, ids?: readonly string[]): Promise<Seen> {
  const target = remoteTarget(ServerTargetInput.parse(description), loopbackNetwork());
  const controls = ids === undefined ? undefined : CATALOGUE.filter(({ id }) => ids.includes(id));
  const seen: Seen = { findings: [], preflight: [] };
  const options = { clock: () => performance.now(), sleep, random: (length: number) => randomBytes(length), controls };
  for await (const event of assess(target, options)) {
    if (event.type === 'preflight') seen.preflight = event.checks;
    if (event.type === 'finished') seen.findings = event.findings;
  }
  return seen;
}

const idsOf = ({ findings }: Seen, kind: VerdictKind) =>
  findings
    .filter(({ verdict }) => verdict.kind === kind)
    .map(({ control }) => control)
    .sort();

/** Everything that is expected not to pass; the rest of the catalogue must. */
function expectVerdicts(seen: Seen, expected: Record<'failed' | 'not_applicable' | 'inconclusive', readonly string[]>) {
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

const described = (server: { issuer: string; resource: string }, changes: object = {}) => ({
  issuer: server.issuer,
  client: { client_id: CLIENTS.main, redirect_uri: REDIRECT_URI },
  other_client: {
    client_id: CLIENTS.other,
    redirect_uri: REDIRECT_URI,
    authentication: 'post',
    secret: CLIENTS.secret,
  },
  native_client: { client_id: CLIENTS.native, redirect_uri: 'http://127.0.0.1/callback' },
  several_redirect_uris: false,
  scope: SCOPE,
  resource: { url: server.resource, scope: 'read' },
  ...changes,
});

/** Only the server's own key could sign what these need: nobody outside can decide them. */
const NEEDS_KEY = ['issuer-validated', 'not-before', 'exp-required', 'aud-required', 'audience-exact'];
/** The development pages of oidc-provider send none of these headers. */
const BARE_PAGES = ['frame-protection', 'content-security-policy', 'referrer-policy'];
const NO_TLS = ['tls-version', 'tls-certificate', 'tls-ciphers'];

describe('oidc-provider', () => {
  const notApplicable = [
    ...NO_TLS,
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
    const seen = await assessServer(described(server, { cookie: await server.signIn() }));
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
    const seen = await assessServer(described(server, { client, cookie: await server.signIn() }));
    expectVerdicts(seen, {
      failed: BARE_PAGES,
      not_applicable: [...notApplicable, 'pkce-downgrade', 'refresh-rotation', 'dpop-refresh-binding'],
      inconclusive: undecided,
    });
  });

  test('weakened: PKCE optional, redirect URIs by prefix, no rotation', { timeout: 120_000 }, async () => {
    await using server = await oidcServer({ consent: 'first-party', weakened: true });
    const seen = await assessServer(described(server, { cookie: await server.signIn() }));
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
    const seen = await assessServer(described(server));
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
    const description = described(server, { cookie: await server.signIn(), patience_seconds: 8 });
    const seen = await assessServer(description, ['code-lifetime', 'token-expiry']);
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
  ];
  const description = (server: { issuer: string; resource: string }) =>
    described(server, { scope: 'read profile', native_client: undefined });

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
        'refresh-authentication',
        'asymmetric-client-authentication',
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
        'refresh-authentication',
        'asymmetric-client-authentication',
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

describe('a set-up that is wrong proves nothing', () => {
  /** What is read from the metadata, and from addresses alone. */
  const readable = ['basic-authentication', 'tls', 'client-secret-strength'];

  test.each([503, 429, 403])('a wall of %i', { timeout: 60_000 }, async (status) => {
    await using server = await wall(status);
    const seen = await assessServer(described({ issuer: server.issuer, resource: `${server.issuer}/data` }));
    expect(idsOf(seen, 'passed').filter((id) => !readable.includes(id))).toEqual([]);
    expect(idsOf(seen, 'failed').filter((id) => id !== 'asymmetric-client-authentication')).toEqual([]);
  });

  /** Judged without the client that is wrong. */
  const clientless = [
    ...readable,
    ...['asymmetric-client-authentication', 'authorize-cors', 'client-unknown', 'cors-token-endpoint', 'jwks-strength'],
    ...['no-open-redirect-on-error', 'metadata-consistent', 'protected-resource-metadata', 'www-authenticate'],
    ...['introspection-authentication', 'revocation-authentication', 'par-authentication'],
  ];

  test('a misspelt client id', { timeout: 60_000 }, async () => {
    await using server = await oidcServer({ consent: 'first-party', weakened: true });
    const client = { client_id: 'mian', redirect_uri: REDIRECT_URI };
    const seen = await assessServer(
      described(server, { client, native_client: undefined, cookie: await server.signIn() }),
    );
    const clientNeeded = idsOf(seen, 'passed').filter((id) => !clientless.includes(id));
    expect(
      clientNeeded.filter(
        (id) => !['client-authentication', 'credentials-in-uri', 'refresh-authentication'].includes(id),
      ),
    ).toEqual([]);
    expect(seen.preflight.find(({ what }) => what === 'client')).toMatchObject({ ok: false });
    expect(seen.preflight.find(({ what }) => what === 'credentials')).toMatchObject({ ok: false });
  });

  test('a wrong client secret', { timeout: 60_000 }, async () => {
    await using server = await oidcServer({ consent: 'first-party', confidential: true });
    const wrong = { redirect_uri: REDIRECT_URI, authentication: 'post', secret: 'not-it' };
    const seen = await assessServer(
      described(server, {
        client: { client_id: CLIENTS.main, ...wrong },
        other_client: { client_id: CLIENTS.other, ...wrong },
        native_client: undefined,
        cookie: await server.signIn(),
      }),
    );
    const token = seen.findings.filter(({ control, verdict }) => {
      const { area } = CATALOGUE.find(({ id }) => id === control) ?? {};
      return verdict.kind === 'passed' && (area === 'token' || area === 'code');
    });
    expect(
      token
        .map(({ control }) => control)
        .filter((id) => ![...clientless, 'code-entropy', 'token-post-only'].includes(id)),
    ).toEqual([]);
    expect(seen.preflight.find(({ what }) => what === 'credentials')).toMatchObject({ ok: false });
  });
});
