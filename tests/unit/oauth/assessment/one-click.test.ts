import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Assessed, assessServer, idsOf } from '@/tests/fixtures/assess-server';
import { mcpServer } from '@/tests/fixtures/mcp-server';
import { nodeOAuthServer } from '@/tests/fixtures/node-oauth-server';
import { type OidcServer, oidcServer, person } from '@/tests/fixtures/oidc-server';

// One address is all that is given: an issuer, a protected resource or an MCP server.

const CALLBACK = 'http://127.0.0.1:8976/callback';
const SIGN_IN = { register: { redirect_uri: CALLBACK }, login: 'browser' };
/** The controls that fail at the development pages of oidc-provider. */
const BARE_PAGES = ['content-security-policy', 'frame-protection', 'referrer-policy'];

/** Statuses of the removals of clients that controls register: with an http: address, over another one, to try tokens. */
const TRIED = [204, 204, 204];
/** Status of the removal of the client whose name is markup. It has the redirect URI of a client. */
const NAMED = [204];
/** Statuses of the removals of three clients. */
const REMOVED = [204, 204, 204];

interface AssessedAddress extends Assessed {
  decided: number;
  /** Statuses of the requests that remove clients. */
  removals: number[];
}

/**
 * Assesses an address with a person's browser. @param issuer the server where the person signs in
 * @param controls all by default
 */
async function assessAddress(
  url: string,
  issuer: string,
  how: object = SIGN_IN,
  controls?: string[],
): Promise<AssessedAddress> {
  const removals: number[] = [];
  const seen = await assessServer(
    { url, ...how },
    {
      ...(controls && { controls }),
      visit: person(issuer).visit,
      async transport(request, send) {
        const answer = await send(request);
        if (request.method === 'DELETE' && answer.status !== 401) removals.push(answer.status);
        return answer;
      },
    },
  );
  return { ...seen, removals, decided: idsOf(seen, 'passed', 'failed', 'not_applicable').length };
}

const findCheck = ({ preflight }: Assessed, name: string) => preflight.find(({ what }) => what === name);

/** Serves one JSON document with a status at each path, on loopback. */
async function serveDocuments(answer: (path: string, origin: string) => [number, object] | undefined) {
  let origin = '';
  const server = createServer((request, response) => {
    const [status, body] = answer(request.url ?? '/', origin) ?? [404, { error: 'not_found' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Expects that three clients were registered, that one sign-in decided most controls, and that nothing stayed. */
function expectDecided(seen: AssessedAddress) {
  expect(seen.preflight.filter(({ ok }) => ok !== true)).toEqual([]);
  expect(findCheck(seen, 'registration')?.text).toMatch(/^3 clients are registered\. They are removed at the end/);
  expect(seen.removals).toEqual([...NAMED, ...TRIED, ...REMOVED]);
  expect(idsOf(seen, 'failed')).toEqual([...BARE_PAGES, 'registration-redirect-uris'].sort());
  expect(seen.decided).toBeGreaterThanOrEqual(100);
  const text = JSON.stringify([seen.findings, seen.preflight]);
  expect(text).not.toMatch(/"registration_access_token\\*":\\*"(?!\[)/);
}

/** Controls that need two clients, a sign-in and the resource. The long run of the command line tries all of them. */
const SOME = ['code-client-binding', 'code-single-use', 'signature-verified'];

/** Expects that the address led to the server and its resource, and that nothing stayed. */
function expectFound(seen: AssessedAddress) {
  expect(seen.preflight.filter(({ ok }) => ok !== true)).toEqual([]);
  expect(findCheck(seen, 'registration')?.text).toMatch(/^3 clients are registered\. They are removed at the end/);
  expect(seen.removals).toEqual(REMOVED);
  expect(idsOf(seen, 'passed')).toEqual(SOME);
}

describe('where clients register themselves', () => {
  test('an issuer', async () => {
    await using server = await oidcServer({ consent: 'ask', registration: 'removable', everyGrant: true });
    expectDecided(await assessAddress(server.issuer, server.issuer));
  });

  test('a protected resource', async () => {
    await using server = await oidcServer({ consent: 'ask', registration: 'removable' });
    expectFound(await assessAddress(server.resource, server.issuer, SIGN_IN, SOME));
  });

  test('an MCP server', async () => {
    const resources: string[] = [];
    await using server = await oidcServer({
      consent: 'ask',
      registration: 'removable',
      resources: () => resources,
    });
    await using mcp = await mcpServer(server.issuer);
    resources.push(mcp.url);
    expectFound(await assessAddress(mcp.url, server.issuer, SIGN_IN, SOME));
  });

  test('without a sign-in, more is decided than by the metadata alone', async () => {
    await using server = await oidcServer({ consent: 'ask', registration: 'removable', everyGrant: true });
    const registered = await assessAddress(server.issuer, server.issuer, {
      register: { redirect_uri: CALLBACK },
      login: 'none',
    });
    const bare = await assessAddress(server.issuer, server.issuer, {});
    expect(bare.removals).toEqual(TRIED);
    expect(bare.decided).toBeGreaterThanOrEqual(25);
    expect(registered.removals).toEqual([...NAMED, ...TRIED, ...REMOVED]);
    expect(registered.decided).toBeGreaterThan(bare.decided);
  });

  test('a server that removes no clients is assessed all the same', async () => {
    await using server = await oidcServer({ consent: 'ask', registration: 'permanent', everyGrant: true });
    const seen = await assessAddress(server.issuer, server.issuer, SIGN_IN, ['require-pkce', 'code-single-use']);
    expect(seen.removals).toEqual([404, 404, 404]);
    expect(seen.decided).toBe(2);
    // The list comes with the result, after the check of the set-up.
    expect(seen.steps.slice(-2).map(({ type }) => type)).toEqual(['preflight', 'finished']);
    expect(findCheck(seen, 'registration')).toMatchObject({
      ok: false,
      text: expect.stringMatching(
        /^Clients that are still registered:( \S+ \(status 404\),?){3}\. Remove them at the server\.$/,
      ),
    });
  });

  test('a stopped assessment removes its clients', async () => {
    await using server = await oidcServer({ consent: 'ask', registration: 'removable' });
    const stop = new AbortController();
    const removals: number[] = [];
    await assessServer(
      { url: server.issuer, ...SIGN_IN },
      {
        signal: stop.signal,
        visit: async () => {
          stop.abort();
          return null;
        },
        async transport(request, send) {
          const answer = await send(request);
          if (request.method === 'DELETE') removals.push(answer.status);
          return answer;
        },
      },
    );
    expect(removals).toEqual(REMOVED);
  });
});

describe('where clients do not register themselves', () => {
  const closed: [string, () => Promise<Pick<OidcServer, 'issuer' | typeof Symbol.asyncDispose>>][] = [
    ['oidc-provider', () => oidcServer({ consent: 'ask' })],
    ['oauth2-server', () => nodeOAuthServer()],
  ];
  test.each(closed)('%s: the metadata and requests without a client decide 25 controls', async (_, start) => {
    await using server = await start();
    const seen = await assessAddress(server.issuer, server.issuer);
    expect(findCheck(seen, 'registration')).toEqual({
      what: 'registration',
      ok: null,
      text: 'The server offers no registration, so no client is used.',
    });
    expect(seen.decided).toBeGreaterThanOrEqual(25);
    expect(idsOf(seen, 'failed')).toEqual([]);
  });

  test.each([
    ['named', 'client_secret_post', 'given', 'client_secret=a-secret'],
    ['not named', undefined, 'given', 'Basic '],
    ['not named, and needs encoding', undefined, 'given/1', 'client_secret=a-secret'],
  ])('a secret that nobody asked for is used if its method is %s', async (_, method, id, sign) => {
    const methods = { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] };
    await using server = await serveDocuments((path, issuer) => {
      if (path === '/register')
        return [201, { client_id: id, client_secret: 'a-secret', token_endpoint_auth_method: method }];
      const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      return path === '/.well-known/oauth-authorization-server'
        ? [200, { issuer, ...endpoints, registration_endpoint: `${issuer}/register`, ...methods }]
        : undefined;
    });
    const sent: string[] = [];
    await assessServer(
      { url: server.origin, register: { redirect_uri: CALLBACK }, login: 'none' },
      {
        controls: ['client-unknown'],
        async transport(request, send) {
          const body = await request.clone().text();
          if (request.url.endsWith('/token')) sent.push(`${request.headers.get('authorization')} ${body}`);
          return send(request);
        },
      },
    );
    expect(sent.some((text) => text.includes(sign))).toBe(true);
  });

  test('the address of a client metadata document becomes the client id', async () => {
    const document = 'https://sluice.example.com/oauth/client-metadata';
    await using server = await serveDocuments((path, issuer) =>
      path === '/.well-known/oauth-authorization-server'
        ? [
            200,
            {
              issuer,
              authorization_endpoint: `${issuer}/authorize`,
              token_endpoint: `${issuer}/token`,
              client_id_metadata_document_supported: true,
            },
          ]
        : undefined,
    );
    const seen = await assessServer(
      { url: server.origin, register: { redirect_uri: CALLBACK, document }, login: 'none' },
      { controls: ['require-pkce'] },
    );
    expect(findCheck(seen, 'registration')?.text).toBe(`The client is the document at ${document}.`);
    const sent = seen.findings.flatMap(({ exchanges }) => exchanges.map(({ request }) => request.url));
    expect(sent.some((url) => new URL(url).searchParams.get('client_id') === document)).toBe(true);
  });
});

describe('the kind of an address', () => {
  const metadata = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
  });
  const OAUTH = '/.well-known/oauth-authorization-server';
  const OIDC = '/.well-known/openid-configuration';

  test.each([
    ['an issuer at an origin', '', OAUTH, ''],
    ['an issuer with a path', '/realms/staff', `/realms/staff${OIDC}`, '/realms/staff'],
    ['the address of its OAuth metadata', `${OAUTH}/realms/staff`, `${OAUTH}/realms/staff`, '/realms/staff'],
    ['the address of its OpenID metadata', `/realms/staff${OIDC}`, `/realms/staff${OIDC}`, '/realms/staff'],
    ['an MCP server whose origin is the issuer', '/mcp', OAUTH, ''],
  ])('%s', async (_, given, published, issuer) => {
    await using server = await serveDocuments((path, origin) =>
      path === published ? [200, metadata(origin + issuer)] : undefined,
    );
    const seen = await assessServer({ url: server.origin + given }, { controls: ['metadata-issuer'] });
    expect(findCheck(seen, 'metadata')).toMatchObject({
      ok: true,
      text: `Published, and the issuer is ${server.origin}${issuer}.`,
    });
  });
});
