import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { CALLBACK, makeLab, ORIGIN } from './lab-fixture';

const lab = makeLab();
lab.advance(Date.now() - lab.services.now());
const inProcess = (url: string, init: RequestInit) => lab.send(url.slice(ORIGIN.length), init);
const OPTIONS = {
  [oauth.customFetch]: (url: string, init: object) => inProcess(url, init),
  [oauth.allowInsecureRequests]: true,
};

async function authorize(parameters: URLSearchParams): Promise<URL> {
  const answer = await lab.send('/auth/authorize', { method: 'POST', body: parameters });
  expect(answer.status).toBe(200);
  return new URL((await answer.json()).redirect_to);
}

test.each(['oauth2', 'oidc'] as const)('oauth4webapi completes the flow after %s discovery', async (algorithm) => {
  const issuer = new URL(ORIGIN);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm, ...OPTIONS }),
  );
  const app: oauth.Client = { client_id: 'demo-confidential' };
  const authentication = oauth.ClientSecretBasic('demo-secret');
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = oauth.generateRandomNonce();
  const back = await authorize(
    new URLSearchParams({
      response_type: 'code',
      client_id: app.client_id,
      redirect_uri: CALLBACK,
      scope: 'openid profile offline_access',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  );
  const parameters = oauth.validateAuthResponse(as, app, back, state);
  const grant = await oauth.authorizationCodeGrantRequest(
    as,
    app,
    authentication,
    parameters,
    CALLBACK,
    verifier,
    OPTIONS,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, app, grant, { expectedNonce: nonce });
  await oauth.validateApplicationLevelSignature(as, grant, OPTIONS);
  expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('demo@example.com');

  const asked = new Request(`${ORIGIN}/api/data`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
  const claims = await oauth.validateJwtAccessToken(as, asked, 'resource-server', OPTIONS);
  expect(claims.client_id).toBe('demo-confidential');
  const data = await oauth.protectedResourceRequest(
    tokens.access_token,
    'GET',
    new URL(`${ORIGIN}/api/data`),
    undefined,
    undefined,
    OPTIONS,
  );
  expect(data.status).toBe(200);

  const refresh = await oauth.refreshTokenGrantRequest(as, app, authentication, tokens.refresh_token!, OPTIONS);
  const fresh = await oauth.processRefreshTokenResponse(as, app, refresh);
  const introspect = async (token: string) =>
    oauth.processIntrospectionResponse(
      as,
      app,
      await oauth.introspectionRequest(as, app, authentication, token, OPTIONS),
    );
  expect((await introspect(fresh.access_token)).active).toBe(true);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, app, authentication, fresh.refresh_token!, OPTIONS),
  );
  expect((await introspect(fresh.access_token)).active).toBe(false);
  expect((await introspect(fresh.refresh_token!)).active).toBe(false);
});

test('oauth4webapi completes a flow with a pushed request and DPoP', async () => {
  const issuer = new URL(ORIGIN);
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, OPTIONS));
  const app: oauth.Client = { client_id: 'demo-client' };
  const verifier = oauth.generateRandomCodeVerifier();
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: CALLBACK,
    scope: 'profile offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const dpop = oauth.DPoP(app, await oauth.generateKeyPair('ES256'));
  const pushed = await oauth.processPushedAuthorizationResponse(
    as,
    app,
    await oauth.pushedAuthorizationRequest(as, app, oauth.None(), parameters, OPTIONS),
  );
  const back = await authorize(new URLSearchParams({ client_id: app.client_id, request_uri: pushed.request_uri }));
  const callback = oauth.validateAuthResponse(as, app, back, oauth.expectNoState);
  const options = { ...OPTIONS, DPoP: dpop };
  const grant = await oauth.authorizationCodeGrantRequest(as, app, oauth.None(), callback, CALLBACK, verifier, options);
  const tokens = await oauth.processAuthorizationCodeResponse(as, app, grant);
  expect(tokens.token_type).toBe('dpop');
  const url = new URL(`${ORIGIN}/api/data`);
  expect(
    (await oauth.protectedResourceRequest(tokens.access_token, 'GET', url, undefined, undefined, options)).status,
  ).toBe(200);
  expect((await lab.data(tokens.access_token)).status).toBe(401);
  const refresh = await oauth.refreshTokenGrantRequest(as, app, oauth.None(), tokens.refresh_token!, options);
  expect((await oauth.processRefreshTokenResponse(as, app, refresh)).token_type).toBe('dpop');
});

test('openid-client completes discovery, authorization, token, refresh, introspection and revocation', async () => {
  const config = await client.discovery(
    new URL(ORIGIN),
    'demo-confidential',
    undefined,
    client.ClientSecretPost('demo-secret'),
    {
      [client.customFetch]: (url, init) => inProcess(url, init as RequestInit),
      execute: [client.allowInsecureRequests],
    },
  );
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid email profile offline_access',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const back = await authorize(url.searchParams);
  const tokens = await client.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  expect(tokens.claims()?.email).toBe('demo@example.com');
  const data = await client.fetchProtectedResource(config, tokens.access_token, new URL(`${ORIGIN}/api/data`), 'GET');
  expect(data.status).toBe(200);
  const fresh = await client.refreshTokenGrant(config, tokens.refresh_token!);
  expect((await client.tokenIntrospection(config, fresh.access_token)).active).toBe(true);
  await client.tokenRevocation(config, fresh.access_token);
  expect((await client.tokenIntrospection(config, fresh.access_token)).active).toBe(false);
});
