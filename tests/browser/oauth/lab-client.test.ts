import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserSuite, product, visitor } from '../../fixtures/browser-suite';
import { close, listen } from '../../fixtures/listen';
import { startLab } from './lab-page';

const LIBRARY = readFileSync(createRequire(import.meta.url).resolve('oauth4webapi'), 'utf8');

/** A single-page application: pushes a request, goes to the lab, comes back, and uses what it got. */
const script = (issuer: string) => `
import * as oauth from '/oauth4webapi.js';
const issuer = new URL(${JSON.stringify(issuer)});
const options = { [oauth.allowInsecureRequests]: true };
const client = { client_id: 'demo-native' };
const redirect_uri = location.origin + '/callback';

async function leave(as) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  Object.assign(sessionStorage, { verifier, state });
  const parameters = new URLSearchParams({
    response_type: 'code', redirect_uri, state, scope: 'openid profile offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  });
  const pushed = await oauth.pushedAuthorizationRequest(as, client, oauth.None(), parameters, options);
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, pushed);
  location.href = as.authorization_endpoint + '?' + new URLSearchParams({ client_id: client.client_id, request_uri });
}

async function arrive(as) {
  const { verifier, state } = sessionStorage;
  const bound = { ...options, DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')) };
  const answer = oauth.validateAuthResponse(as, client, new URL(location.href), state);
  const grant = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), answer, redirect_uri, verifier, bound);
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, grant);
  await oauth.validateApplicationLevelSignature(as, grant, options);
  const { sub } = oauth.getValidatedIdTokenClaims(tokens);
  const asked = await oauth.userInfoRequest(as, client, tokens.access_token, bound);
  const { name } = await oauth.processUserInfoResponse(as, client, sub, asked);
  const read = (token) => oauth.protectedResourceRequest(token, 'GET', new URL('/api/data', issuer), undefined, undefined, bound);
  const { data } = await (await read(tokens.access_token)).json();
  const again = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token, bound);
  const fresh = await oauth.processRefreshTokenResponse(as, client, again);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, client, oauth.None(), fresh.refresh_token, options),
  );
  const challenge = await read(fresh.access_token).catch((error) => error.cause?.[1]?.scheme ?? String(error));
  const page = await fetch(as.authorization_endpoint).then(() => 'readable', () => 'unreadable');
  return { sub, name, type: tokens.token_type, message: data.message, challenge, page };
}

try {
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  if (location.pathname === '/') await leave(as);
  else document.querySelector('output').value = JSON.stringify(await arrive(as));
} catch (error) {
  document.querySelector('output').value = JSON.stringify({ error: String(error), code: error.code, cause: String(error.cause) });
}`;

let application: Server;
let origin: string;
browserSuite({ start: startLab });
beforeAll(async () => {
  application = createServer((request, response) => {
    const isLibrary = request.url === '/oauth4webapi.js';
    response.writeHead(200, { 'content-type': isLibrary ? 'text/javascript' : 'text/html' });
    const page = `<!doctype html><title>Application</title><output></output><script type="module">${script(product.origin)}</script>`;
    response.end(isLibrary ? LIBRARY : page);
  });
  origin = `http://127.0.0.1:${await listen(application)}`;
});
afterAll(() => close(application));

test('an application in the browser, on an origin of its own, completes the flow with a client library', async () => {
  const { page } = await visitor();
  await page.goto(`${origin}/`);
  const allow = page.getByRole('button', { name: 'Allow' });
  await allow.waitFor();
  await page.reload();
  await allow.click();
  await page.waitForURL(`${origin}/callback?**`);
  const output = page.locator('output', { hasText: '{' });
  expect(JSON.parse((await output.textContent()) ?? '')).toEqual({
    sub: 'demo@example.com',
    name: 'Demo User',
    type: 'dpop',
    message: 'You have reached the protected resource.',
    challenge: 'dpop',
    page: 'unreadable',
  });
});
