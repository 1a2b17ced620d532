import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkAnswer, learnFrom } from '@/lib/oauth/client/check-answer';
import { checkAuthorizationResponse, readReturnedParameters } from '@/lib/oauth/client/check-authorization-response';
import { checkIdToken } from '@/lib/oauth/client/check-id-token';
import type { ClientCheck } from '@/lib/oauth/client/client-check';
import { ClientEnvironment } from '@/lib/oauth/client/environment';
import { EMPTY_FLOW, NO_EDITS, planRequest } from '@/lib/oauth/client/plan-request';
import { listDiscoveryAddresses, readServerMetadata } from '@/lib/oauth/client/server-metadata';

const ISSUER = 'https://login.example.com';
const NOW = 1_800_000_000;
const failedOf = (checks: readonly ClientCheck[]) =>
  checks.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);

describe('the authorization response', () => {
  const { metadata } = readServerMetadata(
    JSON.stringify({ issuer: ISSUER, authorization_response_iss_parameter_supported: true }),
    ISSUER,
  );
  const judge = (response: object) =>
    failedOf(checkAuthorizationResponse({ ...response }, { state: 'mine', issuer: ISSUER, metadata }));

  it.each([
    [{ code: 'c', state: 'mine', iss: ISSUER }, []],
    [{ code: 'c', state: 'theirs', iss: ISSUER }, ['state']],
    [{ code: 'c', iss: ISSUER }, ['state']],
    [{ code: 'c', state: 'mine' }, ['iss']],
    [{ code: 'c', state: 'mine', iss: 'https://other.example' }, ['iss']],
    [{ error: 'access_denied', state: 'mine', iss: ISSUER }, ['code']],
  ])('%j fails %j', (response, failed) => expect(judge(response)).toEqual(failed));

  it('is read from the query or the fragment of a pasted address', () => {
    expect(readReturnedParameters(' https://app.example/cb?code=a&state=b ')).toEqual({ code: 'a', state: 'b' });
    expect(readReturnedParameters('https://app.example/cb#code=a')).toEqual({ code: 'a' });
    expect(readReturnedParameters('no address')).toBeNull();
  });
});

describe('an ID token', () => {
  const accessToken = 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y';
  let keys: { keys: object[] };
  let sign: (claims: JWTPayload) => Promise<string>;
  beforeAll(async () => {
    const pair = await generateKeyPair('RS256');
    keys = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k' }] };
    sign = (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(pair.privateKey);
  });
  const right = { iss: ISSUER, aud: 'app', sub: 'a', exp: NOW + 60, iat: NOW, nonce: 'mine' };
  const context = () => ({
    issuer: ISSUER,
    clientId: 'app',
    nonce: 'mine',
    accessToken,
    keys: keys as never,
    secret: '',
    now: NOW,
  });

  it('passes with the right claims, signature and at_hash', async () => {
    // OpenID Connect Core, appendix A.3.
    const checks = await checkIdToken(await sign({ ...right, at_hash: '77QmUPtjPfzWtF2AnpK9RQ' }), context());
    expect(checks.map(({ outcome }) => outcome)).toEqual(Array(7).fill('passed'));
  });

  it.each([
    ['another issuer', { iss: 'https://other.example' }, 'ID token iss'],
    ['another audience', { aud: 'other' }, 'ID token aud'],
    ['several audiences without azp', { aud: ['app', 'other'] }, 'ID token aud'],
    ['a past', { exp: NOW - 120 }, 'ID token exp'],
    ['a future', { iat: NOW + 120 }, 'ID token iat'],
    ['another nonce', { nonce: 'theirs' }, 'ID token nonce'],
    ['another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'ID token at_hash'],
  ])('fails with %s', async (_, claims, name) => {
    expect(failedOf(await checkIdToken(await sign({ ...right, ...claims }), context()))).toEqual([name]);
  });

  it('fails with a signature of another key, and is never taken for verified without keys', async () => {
    const token = await sign(right);
    const forged = `${token.slice(0, -8)}${'A'.repeat(8)}`;
    expect(failedOf(await checkIdToken(forged, context()))).toEqual(['ID token signature']);
    const [unsigned] = await checkIdToken(token, { ...context(), keys: null });
    expect(unsigned?.outcome).toBe('not_checked');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`;
    expect(failedOf(await checkIdToken(none, context()))).toEqual(['ID token signature']);
  });
});

describe('the answer to a token request', () => {
  const environment = ClientEnvironment.parse({ issuer: ISSUER, client_id: 'app', scope: 'read', dpop: true });
  const planned = planRequest('token', {
    environment,
    metadata: null,
    flow: EMPTY_FLOW,
    thumbprint: 't',
    edits: NO_EDITS,
  });
  const judge = (body: object, headers: [string, string][] = [['Cache-Control', 'no-store']], status = 200) =>
    checkAnswer(
      { status, headers, body: JSON.stringify(body) },
      { planned, environment, flow: EMPTY_FLOW, keys: null, now: NOW },
    );

  it.each([
    [{ access_token: 'a', token_type: 'DPoP', scope: 'read' }, []],
    [{ access_token: 'a', token_type: 'Bearer' }, ['token_type']],
    [{ token_type: 'DPoP' }, ['access_token']],
    [{ access_token: 'a', token_type: 'DPoP', scope: 'read write' }, ['scope']],
  ])('%j fails %j', async (body, failed) => expect(failedOf(await judge(body))).toEqual(failed));

  it('may not be stored', async () => {
    expect(failedOf(await judge({ access_token: 'a', token_type: 'DPoP' }, []))).toEqual(['Cache-Control']);
  });

  it('names the error of a refusal, and teaches the flow nothing', async () => {
    const [refusal] = await judge({ error: 'invalid_grant' }, [], 400);
    expect(refusal).toMatchObject({ outcome: 'failed', text: 'The server refused with status 400 and invalid_grant.' });
    expect(learnFrom('token', { status: 400, headers: [], body: '{"access_token":"a"}' })).toEqual({});
  });
});

describe('the metadata', () => {
  it('is looked for where the issuer may publish it', () => {
    expect(listDiscoveryAddresses('https://login.example.com/tenant/')).toEqual([
      'https://login.example.com/tenant/.well-known/openid-configuration',
      'https://login.example.com/.well-known/oauth-authorization-server/tenant',
      'https://login.example.com/.well-known/openid-configuration/tenant',
    ]);
  });

  it('is not taken for the issuer when it names another one', () => {
    expect(readServerMetadata('{"issuer":"https://evil.example"}', ISSUER).problem).toContain('another issuer');
    expect(readServerMetadata('<html>', ISSUER)).toMatchObject({ metadata: null });
    expect(readServerMetadata('{"issuer":7}', ISSUER).problem).toBe('The metadata is not valid: issuer.');
  });
});
