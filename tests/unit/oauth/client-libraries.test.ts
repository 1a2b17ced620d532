import { importJWK } from 'jose';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { describe, expect, test } from 'vitest';
import { DEMO_KEY } from '@/lib/contract/lab-demo-key';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { CALLBACK, makeLab, ORIGIN } from './lab-fixture';

const lab = makeLab();
/** Sends a request at the time of this machine, by which the libraries date their proofs. */
const send: typeof lab.send = (path, init) => {
  lab.advance(Date.now() - lab.services.now());
  return lab.send(path, init);
};
const inProcess = (url: string, init: RequestInit) => send(url.slice(ORIGIN.length), init);
const OPTIONS = {
  [oauth.customFetch]: (url: string, init: object) => inProcess(url, init),
  [oauth.allowInsecureRequests]: true,
};

async function authorize(parameters: URLSearchParams): Promise<URL> {
  const answer = await send('/auth/authorize', { method: 'POST', body: parameters });
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

const key = async () => ({ key: (await importJWK(DEMO_KEY, 'ES256')) as CryptoKey, kid: DEMO_KEY.kid });
const REQUEST = { redirect_uri: CALLBACK, scope: 'openid email profile offline_access' };

/** Takes the place of a browser and its user: opens the page, agrees, and comes back by redirect or by a posted form. */
async function agree(url: URL): Promise<URL | Request> {
  const page = await (await send(url.pathname + url.search)).text();
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const answer = await lab.form(LAB_PATHS.decision, { ticket, decision: 'approve' });
  const location = answer.headers.get('location');
  if (location !== null) return new URL(location);
  const html = await answer.text();
  const fields = [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
  const action = /action="([^"]+)"/.exec(html)?.[1] ?? '';
  return new Request(action, { method: 'POST', body: new URLSearchParams(fields) });
}

describe.each<[string, string, () => Promise<client.ClientAuth>]>([
  ['none', 'demo-client', async () => client.None()],
  ['client_secret_basic', 'demo-confidential', async () => client.ClientSecretBasic('demo-secret')],
  ['client_secret_post', 'demo-confidential', async () => client.ClientSecretPost('demo-secret')],
  ['private_key_jwt', 'demo-key', async () => client.PrivateKeyJwt(await key())],
])('openid-client with %s', (_, id, authentication) => {
  const configure = async () => {
    const config = await client.discovery(new URL(ORIGIN), id, undefined, await authentication(), {
      [client.customFetch]: (url, init) => inProcess(url, init as RequestInit),
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    });
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const checks = {
      pkceCodeVerifier,
      expectedState: client.randomState(),
      expectedNonce: client.randomNonce(),
      maxAge: 300,
      idTokenExpected: true,
    };
    const parameters = {
      ...REQUEST,
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      max_age: String(checks.maxAge),
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    };
    return { config, checks, parameters };
  };
  type Prepared = Awaited<ReturnType<typeof configure>>;

  const use = async ({ config, checks }: Prepared, url: URL, DPoP?: client.DPoPHandle) => {
    const options = DPoP === undefined ? {} : { DPoP };
    const tokens = await client.authorizationCodeGrant(config, await agree(url), checks, undefined, options);
    const sub = tokens.claims()?.sub ?? '';
    const user = await client.fetchUserInfo(config, tokens.access_token, sub, options);
    expect(user).toEqual({ sub, name: 'Demo User', email: 'demo@example.com', email_verified: true });
    const resource = new URL(`${ORIGIN}/api/data`);
    const read = (token: string) =>
      client.fetchProtectedResource(config, token, resource, 'GET', undefined, undefined, options);
    expect((await read(tokens.access_token)).status).toBe(200);
    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, options);
    expect((await read(fresh.access_token)).status).toBe(200);
    if (id !== 'demo-client') expect((await client.tokenIntrospection(config, fresh.access_token)).active).toBe(true);
    await client.tokenRevocation(config, fresh.refresh_token ?? '');
    await expect(read(fresh.access_token)).rejects.toThrow(client.WWWAuthenticateChallengeError);
    return fresh;
  };

  test.each(['query', 'form_post'])('completes the flow by %s', async (response_mode) => {
    const prepared = await configure();
    const url = client.buildAuthorizationUrl(prepared.config, { ...prepared.parameters, response_mode });
    expect((await use(prepared, url)).token_type).toBe('bearer');
  });

  test('completes the flow with a pushed request and DPoP', async () => {
    const prepared = await configure();
    const dpop = client.getDPoPHandle(prepared.config, await client.randomDPoPKeyPair());
    const { config, parameters } = prepared;
    const url = await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP: dpop });
    expect((await use(prepared, url, dpop)).token_type).toBe('dpop');
  });

  const itSigns = id === 'demo-key' ? test : () => {};
  itSigns('completes the flow with a signed request', async () => {
    const prepared = await configure();
    const { config, parameters } = prepared;
    await use(prepared, await client.buildAuthorizationUrlWithJAR(config, parameters, await key()));
  });
});

test('oauth4webapi completes a flow with private_key_jwt, a signed pushed request, DPoP, form_post and userinfo', async () => {
  const issuer = new URL(ORIGIN);
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, OPTIONS));
  const app: oauth.Client = { client_id: 'demo-key' };
  const authentication = oauth.PrivateKeyJwt(await key());
  const options = { ...OPTIONS, DPoP: oauth.DPoP(app, await oauth.generateKeyPair('ES256')) };
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ];
  const parameters = new URLSearchParams({
    ...REQUEST,
    response_type: 'code',
    response_mode: 'form_post',
    state,
    nonce,
    client_id: app.client_id,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const request = await oauth.issueRequestObject(as, app, parameters, await key());
  const fields = new URLSearchParams({ client_id: app.client_id, request });
  const pushed = await oauth.processPushedAuthorizationResponse(
    as,
    app,
    await oauth.pushedAuthorizationRequest(as, app, authentication, fields, options),
  );
  const url = new URL(as.authorization_endpoint ?? '');
  url.search = new URLSearchParams({ client_id: app.client_id, request_uri: pushed.request_uri }).toString();
  const back = await agree(url);
  if (!(back instanceof Request)) throw new TypeError('The answer was not posted.');
  const answer = oauth.validateAuthResponse(as, app, new URLSearchParams(await back.text()), state);
  const grant = await oauth.authorizationCodeGrantRequest(as, app, authentication, answer, CALLBACK, verifier, options);
  const tokens = await oauth.processAuthorizationCodeResponse(as, app, grant, { expectedNonce: nonce });
  await oauth.validateApplicationLevelSignature(as, grant, OPTIONS);
  const userinfo = await oauth.userInfoRequest(as, app, tokens.access_token, options);
  expect((await oauth.processUserInfoResponse(as, app, 'demo@example.com', userinfo)).name).toBe('Demo User');

  const resource = new URL(`${ORIGIN}/api/data`);
  const metadata = await oauth.resourceDiscoveryRequest(resource, OPTIONS);
  const described = await oauth.processResourceDiscoveryResponse(resource, metadata);
  expect(described.authorization_servers).toEqual([ORIGIN]);
});
