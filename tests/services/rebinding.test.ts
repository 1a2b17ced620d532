import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createServerTarget } from '@/lib/admin/assessments/server-target';
import { sendOAuthRequest } from '@/lib/admin/oauth-requests/send';
import { listDeliveries } from '@/lib/admin/webhooks/deliveries';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { testWebhook } from '@/lib/admin/webhooks/test';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { createSystemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';
import { open, webhookTo } from '@/tests/fixtures/alert-events';
import { call } from '@/tests/fixtures/call';
import { recordConnectionAttempts } from '@/tests/fixtures/connection-attempts';
import { startDnsServer } from '@/tests/fixtures/dns-server';
import { listen } from '@/tests/fixtures/listen';
import { testServices } from '@/tests/fixtures/services';

/** A public address in an unallocated block, so no packet arrives. */
const PUBLIC = '2d00::1';
/** The addresses of the listeners on this machine, and other private ones. */
const PRIVATE = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '169.254.169.254', '10.0.0.1', '0.0.0.0'];

/** Sends two requests to each of some URLs, as a feature of the product does, and answers with its explanations. */
const CLIENTS: Record<string, (services: Services, urls: readonly string[]) => Promise<string[]>> = {
  'the test of a webhook': (services, urls) =>
    askTwice(urls, async (url) => {
      const { id } = await webhookTo(services, url, { name: `${url} ${Math.random()}` });
      return (await call(services, testWebhook, { params: { id } })).json.attempts[0].answer;
    }),
  'the deliveries of webhooks': async (services, urls) => {
    const hooks = await Promise.all(urls.map((url) => webhookTo(services, url)));
    const sender = new DeliverySender(services);
    for (const subject of ['a', 'b']) {
      await open(services, subject);
      await sender.sendDue();
      await sender.waitUntilSettled();
    }
    const lists = await Promise.all(hooks.map(({ id }) => call(services, listDeliveries, { params: { id } })));
    return lists.flatMap(({ json }) => json.map((delivery: Delivery) => delivery.attempts[0]?.answer));
  },
  'the requests of the OAuth client': (services, urls) =>
    askTwice(urls, async (url) => {
      const { json } = await call(services, sendOAuthRequest, { body: { method: 'GET', url } });
      return json.error_description;
    }),
  'the requests of an assessment': (services, urls) =>
    askTwice(urls, async (url) => (await targetAt(services, url).transport(new Request(url))).text()),
  'the handshakes of an assessment': (services, urls) =>
    askTwice(urls, async (url) => {
      const { protocol, unreachable } = (await targetAt(services, url).handshake?.(url, {})) ?? {};
      expect(protocol).toBeNull();
      return String(unreachable);
    }),
};

interface Delivery {
  attempts: { answer: string }[];
}

async function askTwice(urls: readonly string[], ask: (url: string) => Promise<string>): Promise<string[]> {
  const explained = (url: string) => ask(url).catch((error: unknown) => (error as Error).message);
  const answers: string[] = [];
  for (const _ of [1, 2]) answers.push(...(await Promise.all(urls.map(explained))));
  return answers;
}

function targetAt(services: Services, issuer: string) {
  const client = { client_id: 'a', redirect_uri: 'https://app.example/callback' };
  return createServerTarget(createSystemContext(services), ServerTargetInput.parse({ issuer, client }));
}

/** Answers by the number of the look-up. */
const ORDERS: ((address: string) => (time: number) => string[])[] = [
  (address) => (time) => [time === 0 ? PUBLIC : address],
  (address) => (time) => [time % 2 === 0 ? address : PUBLIC],
  (address) => () => [PUBLIC, address],
  (address) => () => [address, PUBLIC],
];

it.each(Object.keys(CLIENTS))(
  '%s connect to no private address of a name, whenever a name server says so',
  async (name) => {
    using place = await testServices();
    const zones = new Map<string, (time: number) => string[]>(
      ORDERS.flatMap((order, i) =>
        PRIVATE.map((address, j) => [`h${i}-${j}.rebinding.example`, order(address)] as const),
      ),
    );
    await using server = await startDnsServer((host, time) => zones.get(host)?.(time) ?? []);
    let connections = 0;
    const traps = [1, 2].map(() =>
      createServer((socket) => {
        connections += 1;
        socket.destroy();
      }),
    );
    const port = await listen(traps[0]!);
    // A machine without IPv6 has no such address.
    await new Promise<void>((done) => traps[1]!.once('error', () => done()).listen(port, '::1', done));
    using attempts = recordConnectionAttempts(port);
    const answers = await CLIENTS[name]!(
      place.services,
      [...zones.keys()].map((host) => `https://${host}:${port}/`),
    );
    expect(answers).toHaveLength(2 * zones.size);
    for (const answer of answers) expect(answer).toMatch(/\w+/);
    for (const host of zones.keys()) expect(server.asked.filter((asked) => asked === host).length, host).toBe(2);
    expect(connections).toBe(0);
    // What was connected to is what was checked.
    expect([...new Set(attempts.tried)]).toEqual([`${PUBLIC}:${port}`]);
    for (const trap of traps) trap.close();
  },
);

it('the name server is really asked: what it answers is connected to where that is allowed', async () => {
  using place = await testServices({ SLUICE_ASSESS_ALLOW: 'rebinding.example' });
  let connections = 0;
  const trap = createServer((socket) => {
    connections += 1;
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
  });
  const port = await listen(trap);
  await using server = await startDnsServer(() => ['127.0.0.1']);
  using attempts = recordConnectionAttempts(port);
  const url = `http://rebinding.example:${port}/`;
  const { status } = await call(place.services, sendOAuthRequest, { body: { method: 'GET', url } });
  expect([status, connections, server.asked]).toEqual([200, 1, ['rebinding.example']]);
  expect(attempts.tried).toEqual([`127.0.0.1:${port}`]);
  trap.close();
});
