import { createServer } from 'node:http';
import { createServer as createTrap } from 'node:net';
import { createContext, runInContext } from 'node:vm';
import { expect, it } from 'vitest';
import { GET as keysWorker } from '@/app/oauth/token/keys-worker/route';
import { Connection } from '@/cli/connection';
import { createFetchExchange } from '@/client/exchange';
import { createNodeExchange } from '@/client/node-exchange';
import { beginCall } from '@/client/operation-call';
import { Sluice } from '@/client/sluice';
import { createServerTarget } from '@/lib/admin/assessments/server-target';
import { sendOAuthRequest } from '@/lib/admin/oauth-requests/send';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { testWebhook } from '@/lib/admin/webhooks/test';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { BrowserSession } from '@/lib/oauth/assessment/browser-session';
import { createSystemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';
import { open, webhookTo } from '@/tests/fixtures/alert-events';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { call } from '@/tests/fixtures/call';
import { recordConnectionAttempts } from '@/tests/fixtures/connection-attempts';
import { startDnsServer } from '@/tests/fixtures/dns-server';
import { close } from '@/tests/fixtures/listen';
import { POLICIES_GET } from '@/tests/fixtures/manifest-operation';
import { servicesOn, testServices } from '@/tests/fixtures/services';

/** The receiver that redirects. It stands for a public host: `SLUICE_ASSESS_ALLOW` names its address. */
const HOST = '127.0.0.2';
const NAME = 'receiver.example';
/** A name of the same site, whose address is private. */
const INNER = 'inner.receiver.example';

const HOSTS = ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '10.0.0.1', '0.0.0.0', '2130706433', '0x7f000001'];
const MORE = ['0177.0.0.1', '127.1', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '127。0。0。1', '127.0.0.1.', INNER];

/** Values of Location, for a port of a private listener. */
function listLocations(port: number, own: number): string[] {
  return [
    ...[...HOSTS, ...MORE].map((host) => `http://${host}:${port}/latest/meta-data`),
    `https://127.0.0.1:${port}/`,
    `http://user:password@127.0.0.1:${port}/`,
    `http://${NAME}:${own}@127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `\\\\127.0.0.1:${port}\\`,
    `/\\127.0.0.1:${port}/`,
    `http:127.0.0.1:${port}`,
    `HTTP://127.0.0.1:${port}`,
    ` http://127.0.0.1:${port}/ `,
    '/elsewhere',
    'elsewhere',
    '?again',
    '#again',
    '',
    `http://${HOST}:${port}/another-port`,
    'file:///etc/passwd',
    `gopher://127.0.0.1:${port}/_x`,
    `ftp://127.0.0.1:${port}/`,
    'data:application/json,{}',
    'http://',
  ];
}

const STATUSES = [301, 302, 303, 307, 308];

interface Answer {
  status: number;
  headers: Record<string, string>;
}

function listAnswers(port: number, own: number): Answer[] {
  const locations = listLocations(port, own);
  const inside = `http://127.0.0.1:${port}/`;
  return [
    ...STATUSES.flatMap((status) => locations.map((Location) => ({ status, headers: { Location } }))),
    ...[200, 201, 300, 304, 305].flatMap((status) => [
      { status, headers: { Refresh: `0; url=${inside}` } },
      { status, headers: { Link: `<${inside}>; rel="preload"`, 'Content-Location': inside } },
      { status, headers: { Location: inside, 'Alt-Svc': `h2="127.0.0.1:${port}"` } },
    ]),
  ].map(({ status, headers }) => ({
    status,
    headers: Object.fromEntries(
      // Bytes of UTF-8, as a server sends them.
      Object.entries(headers).map(([name, value]) => [name, Buffer.from(value ?? '').toString('latin1')]),
    ),
  }));
}

type Ask = (url: string) => Promise<unknown>;

/** What sends a request to a URL. Each sends one, and `deliveries` one for each answer. */
const CLIENTS: Record<string, (services: Services) => Ask | Promise<Ask>> = {
  'the test of a webhook': (services) => {
    let hook: ReturnType<typeof webhookTo> | undefined;
    return async (url) => {
      hook ??= webhookTo(services, url);
      return call(services, testWebhook, { params: { id: (await hook).id } });
    };
  },
  'the delivery of a webhook': async (services) => {
    const sender = new DeliverySender(services);
    let count = 0;
    return async (url) => {
      if (count === 0) await webhookTo(services, url);
      count += 1;
      await open(services, `subject ${count}`);
      await sender.sendDue();
      await sender.waitUntilSettled();
    };
  },
  'the request of the OAuth client': (services) => (url) =>
    call(services, sendOAuthRequest, { body: { method: 'POST', url, body: 'secret=1' } }),
  'the request of an assessment': (services) => {
    const client = { client_id: 'a', redirect_uri: 'https://app.example/callback' };
    const server = ServerTargetInput.parse({ issuer: `http://${NAME}`, client });
    const { transport } = createServerTarget(createSystemContext(services), server);
    return (url) => transport(new Request(url, { method: 'POST', body: 'secret=1' }));
  },
  'the sign-in with a provider': (services) => async (url) => {
    const oidc = { OIDC_ISSUER: url.replace(/\/$/, ''), OIDC_CLIENT_ID: 'sluice', OIDC_CLIENT_SECRET: 'a-secret' };
    const jar = new BrowserJar(await servicesOn(services.database, oidc, services.clock));
    const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
    const response = await jar.send('POST', '/api/auth/signin/oidc', form);
    expect(((await response.json()) as { url: string }).url).toMatch(/sign-in\?error=Provider\w+$/);
  },
  'the key fetch of the token workbench': async () => {
    const script = await keysWorker().text();
    return (url) =>
      new Promise((postMessage) => {
        const world = createContext({ fetch, TextDecoder, AbortSignal, postMessage, onmessage: null });
        runInContext(script, world);
        runInContext('onmessage', world)({ data: { address: url, longest: 100_000 } });
      });
  },
  'a check of the client over fetch': () => (url) =>
    new Sluice({ url, token: 'token', timeout: 20_000, exchange: createFetchExchange }).check({ class: 'read' }),
  'a check of the client over node:http': () => (url) =>
    new Sluice({ url, token: 'token', timeout: 20_000, exchange: createNodeExchange }).check({ class: 'read' }),
  'an operation of the client': () => (url) => {
    Object.assign(globalThis, {
      SLUICE_OPERATIONS: JSON.stringify({ 'policies get': ['GET', '/v1/admin/policies', 0] }),
    });
    return beginCall({ url, token: 'token' }, 'policies get', [{ timeout: 20_000 }]).answer();
  },
  'the command line': () => (url) =>
    new Connection({
      ...{ url: url.replace(/\/$/, ''), credentials: () => ({}), timeoutMs: 20_000, userAgent: 'sluice/test' },
      now: () => Date.now(),
    }).request(POLICIES_GET),
};

/** A receiver that redirects, and what it may lead to. Only the receiver is allowed. */
async function startRedirects() {
  let answer: Answer = { status: 204, headers: {} };
  let requests = 0;
  const receiver = createServer((request, response) => {
    request.resume();
    requests += 1;
    response.writeHead(answer.status, { ...answer.headers, Connection: 'close', 'Content-Length': 0 }).end();
  });
  await new Promise<void>((done) => receiver.listen(0, HOST, done));
  const own = (receiver.address() as { port: number }).port;
  let trapped = 0;
  const traps = [1, 2].map(() =>
    createTrap((socket) => {
      trapped += 1;
      socket.destroy();
    }),
  );
  await new Promise<void>((done) => traps[0]!.listen(0, '127.0.0.1', done));
  const { port } = traps[0]!.address() as { port: number };
  await new Promise<void>((done) => traps[1]!.once('error', () => done()).listen(port, '::1', done));
  const names = await startDnsServer((host) => (host === INNER ? ['127.0.0.1'] : host === NAME ? [HOST] : []));
  const place = await testServices({ SLUICE_ASSESS_ALLOW: `${HOST}/32` });
  return {
    services: place.services,
    url: `http://${NAME}:${own}/`,
    answers: listAnswers(port, own),
    own: `${HOST}:${own}`,
    ports: [own, port],
    set: (next: Answer) => {
      [answer, requests] = [next, 0];
    },
    get requests() {
      return requests;
    },
    get trapped() {
      return trapped;
    },
    async [Symbol.asyncDispose]() {
      place[Symbol.dispose]();
      await names[Symbol.asyncDispose]();
      for (const trap of traps) trap.close();
      await close(receiver);
    },
  };
}

it('a corpus of 190 and more', () => expect(listAnswers(1, 2).length).toBeGreaterThanOrEqual(190));

it.each(Object.keys(CLIENTS))('%s follows no redirect', async (name) => {
  await using redirects = await startRedirects();
  const ask = await CLIENTS[name]!(redirects.services);
  using attempts = recordConnectionAttempts(...redirects.ports);
  for (const answer of redirects.answers) {
    redirects.set(answer);
    const failure: unknown = await ask(redirects.url).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure !== null) expect(failure).toBeInstanceOf(Error);
    expect(redirects.requests, `${JSON.stringify(answer)}: ${failure}`).toBe(1);
    expect(attempts.tried.splice(0), JSON.stringify(answer)).toEqual([redirects.own]);
  }
  expect(redirects.trapped).toBe(0);
});

it('the browser of an assessment follows redirects within a site, and none to a private address', async () => {
  await using redirects = await startRedirects();
  const client = { client_id: 'a', redirect_uri: 'https://app.example/callback' };
  const server = ServerTargetInput.parse({ issuer: redirects.url, client });
  const { transport } = createServerTarget(createSystemContext(redirects.services), server);
  const send = async (label: string, url: string, init: RequestInit) => {
    const method = init.method ?? 'GET';
    const response = await transport(new Request(url, init));
    return {
      ...{ label, request: { method, url, headers: [], body: '' } },
      response: { status: response.status, headers: [...response.headers], body: await response.text() },
      ...{ durationMs: 0 },
    } as unknown as Awaited<ReturnType<Parameters<BrowserSession['open']>[0]>>;
  };
  using attempts = recordConnectionAttempts(...redirects.ports);
  let followed = 0;
  for (const answer of redirects.answers) {
    redirects.set(answer);
    const session = new BrowserSession(redirects.url);
    const options = { redirectUri: client.redirect_uri, agree: false };
    await session.open(send, 'Open', redirects.url, options).catch((error: unknown) => error);
    expect([...new Set(attempts.tried.splice(0))], JSON.stringify(answer)).toEqual([redirects.own]);
    if (redirects.requests > 1) followed += 1;
  }
  expect(followed).toBeGreaterThan(10);
  expect(redirects.trapped).toBe(0);
});
