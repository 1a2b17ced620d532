import { createServer, get, type IncomingMessage } from 'node:http';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { GET as keysWorker } from '@/app/oauth/token/keys-worker/route';
import { Connection } from '@/cli/connection';
import { checkReachability } from '@/cli/doctor/reach';
import { Failure } from '@/cli/failure';
import { SluiceError } from '@/client/error';
import { createFetchExchange } from '@/client/exchange';
import { createNodeExchange } from '@/client/node-exchange';
import { beginCall } from '@/client/operation-call';
import { Sluice } from '@/client/sluice';
import { sessions } from '@/drizzle/schema';
import { sendOAuthRequest } from '@/lib/admin/oauth-requests/send';
import { listDeliveries } from '@/lib/admin/webhooks/deliveries';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { testWebhook } from '@/lib/admin/webhooks/test';
import { readSession } from '@/lib/auth/session';
import { createUpstreamProxy } from '@/lib/enforcement/upstream-proxy';
import { abortAfter } from '@/lib/oauth/assessment/abort-after';
import { createAssessmentNetwork } from '@/lib/oauth/assessment/guarded-fetch';
import { proxyRequest } from '@/server/upstream-proxy';
import type { NodeRequest, NodeResponse } from '@/server/validation';
import { open, webhookTo } from '@/tests/fixtures/alert-events';
import { authServices, servicesOn } from '@/tests/fixtures/auth-services';
import { BAD_RECEIVER_NAMES, type RunningReceiver, startBadReceiver } from '@/tests/fixtures/bad-receivers';
import { BrowserJar } from '@/tests/fixtures/browser-jar';
import { call } from '@/tests/fixtures/call';
import { close, listen } from '@/tests/fixtures/listen';
import { POLICIES_GET } from '@/tests/fixtures/manifest-operation';
import { openIdProvider } from '@/tests/fixtures/openid-provider';
import { testServices } from '@/tests/fixtures/services';
import { until } from '@/tests/fixtures/until';
import { WebhookReceiver } from '@/tests/fixtures/webhook-receiver';

const ALLOWED = { SLUICE_ASSESS_ALLOW: '127.0.0.1/32' };
/**
 * Runs a client against every bad receiver at the same time, because each waits for its real time-out. What does not end
 * runs into the time limit of the test.
 * @param kept receivers whose connection may be kept for the next request, because their answer is whole
 */
async function againstAll(ask: (receiver: RunningReceiver, name: string) => Promise<void>, kept: string[] = []) {
  await Promise.all(
    BAD_RECEIVER_NAMES.map(async (name) => {
      await using receiver = await startBadReceiver(name);
      await ask(receiver, name);
      // Node's fetch gives up a connection attempt of its own after 10 seconds.
      await until(() => kept.includes(name) || receiver.countOpen() === 0).catch(() =>
        expect.fail(`${name} holds a connection`),
      );
      expect(receiver.lured, name).toBe(0);
      expect(receiver.sent, name).toBeLessThan(100_000_000);
    }),
  );
}

/** Starts a sign-in, and returns the provider's URL. A busy machine may answer too late for discovery. */
async function leaveToProvider(jar: BrowserJar, issuer: string): Promise<string> {
  const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
  let url = '';
  await until(async () => {
    ({ url } = (await (await jar.send('POST', '/api/auth/signin/oidc', form)).json()) as { url: string });
    return url.startsWith(issuer);
  });
  return url;
}

describe.concurrent('every bad receiver is survived by', () => {
  it('the deliveries of webhooks, and the next ones are sent', async () => {
    using place = await testServices(ALLOWED);
    const here = place.services;
    const sender = new DeliverySender(here);
    await using good = await WebhookReceiver.start();
    await webhookTo(here, good.url);
    const receivers = await Promise.all(BAD_RECEIVER_NAMES.map(startBadReceiver));
    const hooks: { id: string }[] = [];
    for (const { url } of receivers) hooks.push(await webhookTo(here, url));
    await open(here, 'a');
    await sender.sendDue();
    await open(here, 'b');
    await sender.sendDue();
    await until(() => good.received.length === 2);
    await sender.waitUntilSettled();
    for (const [i, { id }] of hooks.entries()) {
      const { json } = await call(here, listDeliveries, { params: { id } });
      const receiver = receivers[i];
      for (const { attempts } of json) {
        expect(attempts, BAD_RECEIVER_NAMES[i]).toHaveLength(1);
        if (receiver?.isAnswer !== true) expect(attempts[0].answer, BAD_RECEIVER_NAMES[i]).toMatch(/\w+ \w+/);
      }
      await until(() => receiver?.countOpen() === 0);
      expect(receiver?.lured, BAD_RECEIVER_NAMES[i]).toBe(0);
      await receiver?.[Symbol.asyncDispose]();
    }
  });

  it('the test of a webhook', async () => {
    using place = await testServices(ALLOWED);
    const here = place.services;
    await againstAll(async ({ url, isAnswer }, name) => {
      const { id } = await webhookTo(here, url);
      const { status, json } = await call(here, testWebhook, { params: { id } });
      if (status !== 200) throw new Error(JSON.stringify(json));
      expect([status, json.attempts.length], name).toEqual([200, 1]);
      if (!isAnswer) expect(json.state, name).toBe('failed');
    });
  });

  it('the requests of the OAuth client', async () => {
    using place = await testServices(ALLOWED);
    const here = place.services;
    await againstAll(async ({ url, isAnswer }, name) => {
      const { status, json } = await call(here, sendOAuthRequest, { body: { method: 'GET', url } });
      expect(status, name).toBe(isAnswer ? 200 : 400);
      if (!isAnswer) expect(json.error_description, name).toMatch(/url .*\w+ \w+/);
    });
  });

  it('an assessment, and its handshakes', async () => {
    await againstAll(async ({ url, isAnswer }, name) => {
      const network = createAssessmentNetwork({ allowed: { ranges: [], hosts: ['127.0.0.1'] } });
      const answer = network.transport(new Request(url)).then(
        () => true,
        () => false,
      );
      expect(await answer, name).toBe(isAnswer);
      const handshake = await network.handshake(url, {});
      expect(handshake.protocol === null, name).toBe(name !== 'a certificate of nobody');
    });
  });

  it('a sign-in with a provider', async () => {
    using auth = await authServices();
    await againstAll(async ({ url }, name) => {
      const oidc = { OIDC_ISSUER: url.replace(/\/$/, ''), OIDC_CLIENT_ID: 'sluice', OIDC_CLIENT_SECRET: 'a-secret' };
      const jar = new BrowserJar(await servicesOn(auth.file.database, oidc, auth.services.clock));
      const form = { csrfToken: await jar.csrf(), callbackUrl: '/', json: 'true' };
      const response = await jar.send('POST', '/api/auth/signin/oidc', form);
      expect(((await response.json()) as { url: string }).url, name).toMatch(
        /sign-in\?error=Provider(?:Down|Misconfigured)$/,
      );
    });
  });

  it.each(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    'a sign-in whose provider has it as %s',
    async (endpoint) => {
      using auth = await authServices();
      await auth.member('ada@example.com', 'operator');
      const { clock } = auth.services;
      await againstAll(async ({ url }, name) => {
        await using provider = await openIdProvider('sluice', clock, { [endpoint]: url });
        const oidc = { OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'sluice', OIDC_CLIENT_SECRET: 'a-secret' };
        const jar = new BrowserJar(await servicesOn(auth.file.database, oidc, clock));
        const left = await leaveToProvider(jar, provider.issuer);
        const person = { sub: 'ada', email: 'ada@example.com', email_verified: true };
        // UserInfo is asked for claims that the ID token lacks.
        const claims = endpoint === 'userinfo_endpoint' ? { sub: 'ada' } : person;
        const back = new URL(provider.approve(left, { claims }));
        const response = await jar.send('GET', back.pathname + back.search);
        expect(response.headers.get('location'), name).toMatch(/^http:\/\/sluice\.test\/sign-in\?error=\w+$/);
        expect(await readSession(jar.cookieHeader, auth.services), name).toBeNull();
      });
      expect(await auth.file.database.drizzle.$count(sessions)).toBe(0);
    },
  );

  it.each([
    ['fetch', createFetchExchange],
    ['node:http', createNodeExchange],
  ])('the checks of the client over %s', async (_, exchange) => {
    await againstAll(async ({ url }, name) => {
      const sluice = new Sluice({ url, token: 'token', timeout: 1_000, exchange });
      const answer = await sluice.check({ class: 'read', ip: '203.0.113.7' });
      expect(answer, name).toMatchObject({ status: 'unreachable' });
    });
  });

  it('the operations of the client', async () => {
    // The build writes it into the client.
    const operations = JSON.stringify({ 'policies get': ['GET', '/v1/admin/policies', 0] });
    Object.assign(globalThis, { SLUICE_OPERATIONS: operations });
    await againstAll(async ({ url }, name) => {
      const outcome = await beginCall({ url, token: 'token' }, 'policies get', [{ timeout: 1_000 }])
        .answer()
        .catch((error: unknown) => error);
      if (!/^(?:100 before|a body longer|a bomb|204)/.test(name)) expect(outcome, name).toBeInstanceOf(SluiceError);
    });
  });

  it('the command line', async () => {
    await againstAll(async ({ url }, name) => {
      const connection = new Connection({
        ...{ url: url.replace(/\/$/, ''), credentials: () => ({}), timeoutMs: 1_000, userAgent: 'sluice/test' },
        now: () => Date.now(),
      });
      const outcome = await connection.request(POLICIES_GET).catch((error: unknown) => error);
      if (!/^(?:100 before|a body longer|a bomb|204|what is no)/.test(name))
        expect(outcome, name).toBeInstanceOf(Failure);
      expect(await checkReachability(url, 1_000, Date.now()), name).toHaveProperty('isReached');
    });
  });

  it('the proxy of the upstream, which ends with its client', async () => {
    using place = await testServices();
    await againstAll(
      async ({ url }, name) => {
        const upstream = createUpstreamProxy(place.services, new URL(url).origin, 1_000);
        const server = createServer((request, response) => {
          void proxyRequest(upstream, request as NodeRequest, response as NodeResponse, () => undefined);
        });
        const asked = get({ port: await listen(server), path: '/orders', agent: false, maxHeaderSize: 200_000 });
        const answer = await new Promise<IncomingMessage | null>((begun) =>
          asked.once('response', begun).once('error', () => begun(null)),
        );
        // An answer that breaks off in the packet of its head is broken off for the client, too.
        if (answer === null) expect(name).toMatch(/chunk|two lengths|reset after headers/);
        else if (![200, 204, 301, 302, 307, 999].includes(answer.statusCode ?? 0)) {
          expect([502, 503], `${name}: ${answer.statusCode}`).toContain(answer.statusCode);
          expect(answer.headers['content-type'], name).toContain('json');
        }
        asked.destroy();
        await close(server);
      },
      ['huge headers'],
    );
  });

  it('the worker that fetches keys for the token workbench', async () => {
    const script = await keysWorker().text();
    await againstAll(async ({ url }, name) => {
      const told = await new Promise<Record<string, unknown>>((postMessage) => {
        // Unlike a browser, Node 20 collects an `AbortSignal.timeout` to which only a fetch refers, and after a collection
        // no signal ends the body of a fetch with `redirect: 'error'`.
        const timeout = () => abortAfter(1_000, new AbortController().signal);
        const follow = (address: string, options: RequestInit) => fetch(address, { ...options, redirect: 'manual' });
        const known = { fetch: follow, TextDecoder, AbortSignal: { timeout }, postMessage, onmessage: null };
        const world = createContext(known);
        runInContext(script, world);
        runInContext('onmessage', world)({ data: { address: url, longest: 100_000 } });
      });
      expect(told, name).toSatisfy(({ fault, status }) => fault !== undefined || typeof status === 'number');
    });
  });
});
