import { expect, test } from 'vitest';
import type { KeptFindings } from '@/lib/contract/assessment-events';
import { REMEDIES } from '@/lib/oauth/controls/remedies/remedies';
import { detectProduct } from '@/lib/oauth/report/detect-product';
import { buildReport } from '@/lib/oauth/report/report';
import { summarize } from '@/lib/oauth/report/summary';

type Metadata = Record<string, string>;
const answer = (metadata: Metadata, headers: [string, string][] = []): KeptFindings[number]['exchanges'][number] => ({
  label: 'Read the metadata',
  request: { method: 'GET', url: 'https://x.example/.well-known/openid-configuration', headers: [], body: '' },
  response: { status: 200, headers, body: JSON.stringify(metadata) },
  startedAt: 0,
  durationMs: 1,
});
const at = (issuer: string, paths: Metadata = {}): Metadata => ({
  issuer,
  ...Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, new URL(path, issuer).href])),
});

const SERVERS: [string | null, Metadata, [string, string][]?][] = [
  ['Keycloak', at('https://id.example/realms/a', { token_endpoint: '/realms/a/protocol/openid-connect/token' })],
  ['Keycloak', at('https://id.example/auth/realms/a', { jwks_uri: '/auth/realms/a/protocol/openid-connect/certs' })],
  ['Auth0', at('https://tenant.eu.auth0.com/', { token_endpoint: '/oauth/token' })],
  ['Auth0', at('https://login.example/', { token_endpoint: '/oauth/token' }), [['x-auth0-requestid', 'a']]],
  ['Microsoft Entra ID', at('https://login.microsoftonline.com/x/v2.0', { token_endpoint: '/x/oauth2/v2.0/token' })],
  [
    'Ory Hydra',
    at('https://hydra.example', { authorization_endpoint: '/oauth2/auth', token_endpoint: '/oauth2/token' }),
  ],
  [
    'Duende IdentityServer',
    at('https://ids.example', { device_authorization_endpoint: '/connect/deviceauthorization' }),
  ],
  [
    'Spring Authorization Server',
    at('https://s.example', { device_authorization_endpoint: '/oauth2/device_authorization' }),
  ],
  ['oidc-provider', at('https://op.example', { end_session_endpoint: '/session/end' })],
  ['oidc-provider', at('https://op.example'), [['set-cookie', '_interaction=x; path=/']]],
  [
    'LemonLDAP::NG',
    at('https://auth.example', { authorization_endpoint: '/oauth2/authorize' }),
    [['Set-Cookie', 'lemonldap=1']],
  ],
  [null, at('https://as.example', { authorization_endpoint: '/authorize', token_endpoint: '/token' })],
  [null, at('https://as.example', { authorization_endpoint: '/oauth2/authorise' }), [['server', 'nginx']]],
];

test.each(SERVERS)('%s is detected by %j %j', (product, metadata, headers = []) => {
  expect(detectProduct([answer(metadata, headers)])).toBe(product);
});

test('every product that has a remedy is recognised somewhere', () => {
  const named = new Set(Object.values(REMEDIES).flatMap((remedy) => Object.keys(remedy.in ?? {})));
  expect([...named].filter((product) => !SERVERS.some(([seen]) => seen === product))).toEqual([]);
});

test.each([
  [SERVERS[0]?.[1] ?? {}, 'Keycloak', ['Keycloak']],
  [SERVERS[5]?.[1] ?? {}, 'Ory Hydra', ['Ory Hydra']],
  [SERVERS[11]?.[1] ?? {}, null, []],
])('a report has the remedy of its product alone: %j', (metadata, product, remedies) => {
  const findings: KeptFindings = [
    { control: 'require-pkce', verdict: 'failed', reason: 'x', exchanges: [answer(metadata)] },
  ];
  const about = { id: crypto.randomUUID(), name: 'x', kind: 'server' as const, target: 'https://x.example' };
  const run = { state: 'finished' as const, started_at: '2026-11-27T10:00:00.000Z', started_by: 'x', build: '1' };
  const report = buildReport({
    assessment: { ...about, ...run, duration_ms: 1, summary: summarize(findings) },
    preflight: [],
    findings,
  });
  expect(report.product).toBe(product);
  expect(Object.keys(report.findings[0]?.remedy_in ?? {})).toEqual(remedies);
});
