import { decodeJwt, type JWTPayload } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import type { ClientStep } from '@/lib/oauth/client/client-step';
import { discover } from '@/lib/oauth/client/discover';
import { ClientEnvironment } from '@/lib/oauth/client/environment';
import { EMPTY_FLOW, NO_EDITS, planRequest } from '@/lib/oauth/client/plan-request';
import { type ClientTransport, explainObstacle, sendStep, type TimedAnswer } from '@/lib/oauth/client/send-step';
import { generateClientKey, generateProofKey, type ProofKey } from '@/lib/oauth/client/sign';
import { describeMissingValue, explainSkip } from '@/lib/oauth/client/why-skipped';
import type { WireRequest } from '@/lib/oauth/client/wire-request';

const ISSUER = 'https://login.example.com';
const environmentOf = (fields: Partial<ClientEnvironment>) =>
  ClientEnvironment.parse({
    issuer: ISSUER,
    client_id: 'app',
    endpoints: { token_endpoint: `${ISSUER}/token`, authorization_endpoint: `${ISSUER}/authorize` },
    ...fields,
  });

let proofKey: ProofKey;
beforeAll(async () => {
  proofKey = await generateProofKey();
});

const planOf = (step: 'token' | 'authorize', environment: ClientEnvironment) =>
  planRequest(step, {
    ...{ environment, metadata: null, edits: NO_EDITS, thumbprint: proofKey.thumbprint },
    flow: { ...EMPTY_FLOW, codeVerifier: 'verifier', codeChallenge: 'challenge', code: 'code' },
  });

const transportOf = (send: ClientTransport['send']): ClientTransport => ({
  send,
  clock: () => 1_800_000_000_000,
  proofKey,
  nonces: new Map(),
});

const answer = (status: number, body: unknown, headers: [string, string][] = []): TimedAnswer => ({
  ...{ status, headers, durationMs: 1 },
  body: JSON.stringify(body),
});

const proofOf = ({ headers }: WireRequest): JWTPayload =>
  decodeJwt(headers.find(([name]) => name === 'DPoP')?.[1] ?? '');

it('sends a DPoP request again with the nonce that the server asks for, and remembers it', async () => {
  const environment = environmentOf({ dpop: true });
  const proofs: JWTPayload[] = [];
  const transport = transportOf(async (request) => {
    proofs.push(proofOf(request));
    const { nonce } = proofs.at(-1) ?? {};
    const fresh: [string, string][] = [['DPoP-Nonce', 'nonce-1']];
    return nonce === undefined ? answer(400, { error: 'use_dpop_nonce' }, fresh) : answer(200, { token_type: 'DPoP' });
  });
  const { exchanges, answer: last } = await sendStep(planOf('token', environment), environment, transport);
  expect(exchanges.map(({ response }) => response.status)).toEqual([400, 200]);
  expect(last.status).toBe(200);
  expect(proofs.map(({ nonce }) => nonce)).toEqual([undefined, 'nonce-1']);
  expect(new Set(proofs.map(({ jti }) => jti)).size).toBe(2);
  await sendStep(planOf('token', environment), environment, transport);
  expect(proofs.map(({ nonce }) => nonce)).toEqual([undefined, 'nonce-1', 'nonce-1']);
});

it('asks a server that never takes its own nonce twice, not for ever', async () => {
  const environment = environmentOf({ dpop: true });
  let asked = 0;
  const refuse = async () => {
    asked += 1;
    return answer(401, {}, [
      ['www-authenticate', 'DPoP error="use_dpop_nonce"'],
      ['dpop-nonce', `nonce-${asked}`],
    ]);
  };
  const sent = await sendStep(planOf('token', environment), environment, transportOf(refuse));
  expect([asked, sent.answer.status]).toEqual([2, 401]);
});

it('leaves PKCE out of both requests where it is switched off', () => {
  const names = (step: 'token' | 'authorize', pkce: boolean) =>
    planOf(step, environmentOf({ pkce })).parameters.map(([name]) => name);
  expect(names('authorize', true)).toEqual(expect.arrayContaining(['code_challenge', 'code_challenge_method']));
  expect(names('token', true)).toContain('code_verifier');
  expect(names('authorize', false).join()).not.toContain('code_challenge');
  expect(names('token', false)).not.toContain('code_verifier');
});

it('says what is missing before a request can be sent', async () => {
  const obstacle = (fields: Partial<ClientEnvironment>, step: 'token' | 'authorize' = 'token') => {
    const environment = environmentOf(fields);
    return explainObstacle(planOf(step, environment), environment, EMPTY_FLOW);
  };
  expect(obstacle({})).toBeNull();
  expect(obstacle({ endpoints: {} })).toContain('token_endpoint is not known');
  expect(obstacle({ endpoints: { token_endpoint: 'javascript:alert(1)' } })).toContain('not an http');
  expect(obstacle({ authentication: 'private_key_jwt', key: '{"kty":"EC"}' })).toContain('no private key');
  const key = JSON.stringify(await generateClientKey());
  expect(obstacle({ authentication: 'private_key_jwt', key })).toBeNull();
  expect(obstacle({ par: true }, 'authorize')).toBe('Push the request first.');
});

it('says why a step is left out: the server, the client or the scope, and what is missing yet', () => {
  const metadata = { issuer: ISSUER, grant_types_supported: ['authorization_code'] };
  const why = (step: ClientStep, fields: Partial<ClientEnvironment> = {}) =>
    explainSkip(step, environmentOf(fields), metadata) ?? '';
  expect(why('token')).toBe('');
  expect(why('revoke')).toContain('name no revocation_endpoint');
  expect(why('revoke', { endpoints: { revocation_endpoint: `${ISSUER}/revoke` } })).toBe('');
  expect(why('refresh')).toContain('do not list the grant refresh_token');
  const introspection = { endpoints: { introspection_endpoint: `${ISSUER}/introspect` } };
  expect(why('introspect', introspection)).toContain('RFC 7662 section 2.1');
  expect(why('introspect', { ...introspection, authentication: 'basic' })).toBe('');
  const userinfo = { endpoints: { userinfo_endpoint: `${ISSUER}/userinfo` } };
  expect(why('userinfo', { ...userinfo, scope: 'read' })).toContain('scope openid');
  expect(describeMissingValue('token', EMPTY_FLOW)).toContain('no code yet');
  expect(describeMissingValue('token', { ...EMPTY_FLOW, code: 'code' })).toBeNull();
  expect(describeMissingValue('resource', EMPTY_FLOW)).toContain('no access token');
});

it('finds metadata where an issuer may publish them, and says what is wrong with them', async () => {
  const pages: Record<string, unknown> = {
    '/.well-known/oauth-authorization-server/tenant': { issuer: `${ISSUER}/tenant`, jwks_uri: `${ISSUER}/jwks` },
    '/.well-known/openid-configuration': { issuer: 'https://elsewhere.example' },
    '/jwks': { keys: [] },
  };
  const { send, clock } = transportOf(async ({ url }) => {
    const page = pages[new URL(url).pathname];
    return page === undefined ? answer(404, {}) : answer(200, page);
  });
  const tenant = await discover(`${ISSUER}/tenant`, { send, clock });
  expect(tenant).toMatchObject({ problem: null, keys: { keys: [] } });
  expect(tenant.exchanges.map(({ response }) => response.status)).toEqual([404, 200, 200]);
  expect((await discover(ISSUER, { send, clock })).problem).toContain('another issuer');
  const none = await discover('https://nothing.example', { send: async () => answer(404, {}), clock });
  expect(none).toMatchObject({ metadata: null, problem: 'The server answers 404 where its metadata should be.' });
});
