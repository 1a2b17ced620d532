import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { assessServer, everythingOf } from '@/tests/fixtures/assess-server';
import { oidcServer, POST_LOGOUT_REDIRECT_URI } from '@/tests/fixtures/oidc-server';

// The logout of oidc-provider, replaced by one that is weak.

const LOGOUT = ['logout-confirmation', 'logout-redirect-uri', 'logout-hint', 'logout-state'];

/** Answers a logout request. */
type Logout = (query: URLSearchParams, response: ServerResponse, request: IncomingMessage) => void;

const page = (response: ServerResponse, body: string, status = 200) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end(body);
const redirect = (response: ServerResponse, location: string) => response.writeHead(303, { location }).end();
const ask = (response: ServerResponse) =>
  page(response, '<form method="get"><button name="logout" value="yes">Sign out</button></form>');

/** A sound logout: it redirects at once if an ID token is its own, and asks otherwise. */
const sound: Logout = (query, response) => {
  const hint = query.get('id_token_hint');
  const uri = query.get('post_logout_redirect_uri');
  if (hint === null) return ask(response);
  if (!isOwn(hint) || (query.has('client_id') && decodeJwt(hint).aud !== query.get('client_id')))
    return page(response, 'The ID token is invalid.', 400);
  if (uri === null) return page(response, 'Signed out.');
  if (uri !== POST_LOGOUT_REDIRECT_URI) return page(response, 'The address is not registered.', 400);
  redirect(response, `${uri}?${new URLSearchParams({ state: query.get('state') ?? '' })}`);
};

const seen = new Set<string>();
/** Returns whether the provider issued a token: the assessment sends no other with this signature. */
function isOwn(hint: string): boolean {
  const [header, payload, signature = ''] = hint.split('.');
  if (signature === '' || JSON.parse(Buffer.from(header ?? '', 'base64url').toString()).kid !== 'provider-key')
    return false;
  return seen.has(`${header}.${payload}.${signature}`);
}

/** Assesses a server with this logout. */
async function assessLogout(logout: Logout, changes: object = {}) {
  seen.clear();
  await using server = await oidcServer({
    consent: 'first-party',
    before(request, response) {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      if (url.pathname !== '/session/end') return false;
      logout(url.searchParams, response, request);
      return true;
    },
  });
  const description = everythingOf(server, { cookie: await server.signIn(), ...changes });
  const { findings } = await assessServer(description, {
    controls: LOGOUT,
    async transport(request, send) {
      const answer = await send(request);
      if (!request.url.endsWith('/token')) return answer;
      const { id_token } = await answer.clone().json();
      if (id_token !== undefined) seen.add(id_token);
      return answer;
    },
  });
  return Object.fromEntries(findings.map(({ control, verdict }) => [control, verdict.kind]));
}

const ALL_PASS = Object.fromEntries(LOGOUT.map((id) => [id, 'passed']));

describe('a logout', () => {
  test('that is sound passes', async () => {
    expect(await assessLogout(sound)).toEqual(ALL_PASS);
  });

  const toAnywhere =
    (send: (response: ServerResponse, uri: string) => void): Logout =>
    (query, response, request) => {
      const uri = query.get('post_logout_redirect_uri');
      if (uri === null || uri === POST_LOGOUT_REDIRECT_URI) return sound(query, response, request);
      send(response, uri);
    };
  const weak: [string, Logout, string][] = [
    ['redirects to any address', toAnywhere(redirect), 'logout-redirect-uri'],
    [
      'opens any address by script',
      toAnywhere((response, uri) =>
        page(response, `<script>window.location.replace("${uri.replaceAll('/', '\\/')}")</script>`),
      ),
      'logout-redirect-uri',
    ],
    [
      'opens any address by a refresh',
      toAnywhere((response, uri) => page(response, `<meta http-equiv="refresh" content="0; url=${uri}">`)),
      'logout-redirect-uri',
    ],
    [
      'posts to any address',
      toAnywhere((response, uri) => page(response, `<form method="post" action="${uri}"><button>Go</button></form>`)),
      'logout-redirect-uri',
    ],
    [
      'compares only the beginning',
      (query, response, request) => {
        const uri = query.get('post_logout_redirect_uri') ?? '';
        return uri.startsWith(POST_LOGOUT_REDIRECT_URI) && uri !== POST_LOGOUT_REDIRECT_URI
          ? redirect(response, uri)
          : sound(query, response, request);
      },
      'logout-redirect-uri',
    ],
    [
      'believes a changed ID token',
      (query, response, request) => {
        const hint = query.get('id_token_hint');
        const uri = query.get('post_logout_redirect_uri');
        const believes = hint !== null && uri === POST_LOGOUT_REDIRECT_URI && decodeJwt(hint).sub === 'another-user';
        return believes ? redirect(response, uri) : sound(query, response, request);
      },
      'logout-hint',
    ],
    [
      'believes an ID token of another client',
      (query, response, request) => {
        query.delete('client_id');
        return sound(query, response, request);
      },
      'logout-hint',
    ],
    [
      'loses the state',
      (query, response, request) => {
        const goes = query.get('state') !== null && query.get('post_logout_redirect_uri') === POST_LOGOUT_REDIRECT_URI;
        return goes ? redirect(response, POST_LOGOUT_REDIRECT_URI) : sound(query, response, request);
      },
      'logout-state',
    ],
    [
      'ends a session without a question',
      (query, response, request) => {
        if (query.size > 0) return sound(query, response, request);
        const ended = ['_session', '_session.sig', '_session.legacy', '_session.legacy.sig'];
        response.setHeader(
          'set-cookie',
          ended.map((name) => `${name}=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT`),
        );
        page(response, 'You are signed out.');
      },
      'logout-confirmation',
    ],
  ];
  test.each(weak)('that %s fails exactly its control', async (_, logout, control) => {
    expect(await assessLogout(logout)).toEqual({ ...ALL_PASS, [control]: 'failed' });
  });

  test('that only names the address in its error page is not taken for a redirect', async () => {
    const echo: Logout = (query, response, request) => {
      const uri = query.get('post_logout_redirect_uri') ?? POST_LOGOUT_REDIRECT_URI;
      if (uri === POST_LOGOUT_REDIRECT_URI) return sound(query, response, request);
      page(response, `<p>${uri} is not registered.</p><script>var given = "${uri}";</script>`, 400);
    };
    expect(await assessLogout(echo)).toEqual(ALL_PASS);
  });

  test.each([404, 429, 500, 503])('that answers %s to everything passes nothing', async (status) => {
    const found = await assessLogout((_, response) => page(response, 'No.', status));
    expect(found).toEqual(Object.fromEntries(LOGOUT.map((id) => [id, 'inconclusive'])));
  });

  test('that leads nowhere is undecided, and an unregistered address is red without a registered one', async () => {
    const nowhere: Logout = (_, response) => ask(response);
    expect((await assessLogout(nowhere))['logout-redirect-uri']).toBe('inconclusive');
    const alone = { client: { client_id: 'main', redirect_uri: 'https://app.example.com/callback' } };
    expect((await assessLogout(toAnywhere(redirect), alone))['logout-redirect-uri']).toBe('failed');
  });
});
