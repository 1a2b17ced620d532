import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Product, startProduct } from '../../fixtures/product';
import { until } from '../../fixtures/until';
import { type Application, LARGE, startApplication } from './application';
import { type Answer, call, nextAddress, open, sha256 } from './clients';
import { proves } from './documented';
import { type Edge, type GatewayName, installedGateways, type Mode, startGateway } from './gateways';
import { startSurroundings } from './surroundings';

type Wish = 'closed' | 'open';
const MODES: readonly Mode[] = ['beside', 'behind'];
const WISHES: readonly Wish[] = ['closed', 'open'];
/** Seconds that a gateway waits for a Sluice behind it, in place of the 75 of its files. */
const PATIENCE = 5;

/** What a client gets, in the words of the page. */
function inWords({ status, headers, body }: Answer): string {
  if (status === 200 && body === 'the application') return 'passes';
  if (status !== 503 || headers.get('retry-after') === null) return String(status);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(JSON.parse(body)).toMatchObject({ error: 'service_unavailable' });
  return `503 with \`Retry-After\``;
}

/** What clients get while Sluice hangs, is stopped, is back, and while the application is down. */
describe('while something is down', () => {
  const edges: { gateway: GatewayName; mode: Mode; wish: Wish; edge: Edge }[] = [];
  /** What was answered, by gateway, mode, wish and occasion: each occasion is the same for all gateways. */
  const answers = new Map<string, string>();
  let product: Product;
  let first: Product;
  let application: Application;

  /** Does the same through every gateway at once, of one mode or of both, and keeps what came of it. */
  async function occasion(
    name: string,
    act: (origin: string, wish: Wish) => Promise<string>,
    only?: Mode,
  ): Promise<void> {
    const concerned = edges.filter(({ mode }) => only === undefined || mode === only);
    await Promise.all(
      concerned.map(async ({ gateway, mode, wish, edge }) => {
        answers.set(`${gateway} ${mode} ${wish} ${name}`, await act(edge.origin, wish).catch((error) => String(error)));
      }),
    );
  }
  const told = (mode: Mode, wish: Wish, name: string) => async (gateway: GatewayName) =>
    answers.get(`${gateway} ${mode} ${wish} ${name}`) ?? 'not tried';
  const inBothModes = (wish: Wish, name: string) => async (gateway: GatewayName) => {
    const both = await Promise.all(MODES.map((mode) => told(mode, wish, name)(gateway)));
    return [...new Set(both)].join('; behind: ');
  };

  const ask = async (origin: string) => inWords(await call(`${origin}/api/x`, nextAddress()));

  async function upload(origin: string): Promise<string> {
    const body = Buffer.alloc(LARGE, nextAddress());
    const headers = { 'Content-Length': LARGE };
    const outgoing = open(`${origin}/api/upload`, { method: 'POST', localAddress: nextAddress(), headers });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    answer.resume();
    const arrived = application.seen.filter((seen) => seen.body.sha256 === sha256(body));
    return `${answer.statusCode}, arrived ${arrived.length}`;
  }

  /** Begins a request through every gateway with Sluice behind it. @returns ends it, and keeps what came of it */
  async function begin(name: string, method: 'GET' | 'PUT'): Promise<() => Promise<void>> {
    const half = method === 'PUT' ? LARGE / 2 : 0;
    const begun = await Promise.all(
      edges
        .filter(({ mode }) => mode === 'behind')
        .map(async ({ gateway, wish, edge }) => {
          const id = `${gateway} ${wish} ${name}`;
          const headers = { 'X-Id': id, ...(half > 0 ? { 'Content-Length': 2 * half } : {}) };
          const options = { method, headers, localAddress: nextAddress() };
          const outgoing = open(`${edge.origin}/api/x?never`, options);
          const status = once(outgoing, 'response').then(
            ([answer]) => (answer as IncomingMessage).resume().statusCode ?? 0,
            () => 'none',
          );
          outgoing.write(Buffer.alloc(half));
          await until(() => application.begun(id) > 0);
          return { key: `${gateway} behind ${wish} ${name}`, id, outgoing, half, status };
        }),
    );
    return async () => {
      for (const { outgoing, half } of begun) outgoing.end(Buffer.alloc(half));
      for (const { key, id, status } of begun) {
        const words = (await status) === 200 ? 'passes' : 'an error';
        answers.set(key, application.begun(id) > 1 ? `${words}, sent again` : words);
      }
    };
  }

  async function storeIsDown(): Promise<void> {
    const other = new Libsql(join(product.directory, 'sluice.db'));
    other.exec('begin immediate');
    const closed = async (origin: string) => {
      const { status, headers, body } = await call(`${origin}/login`, nextAddress());
      return `${status} ${headers.has('retry-after')} ${body}`;
    };
    await occasion('closed class', closed, 'beside');
    const degraded = async (origin: string) => {
      const { status, headers } = await call(`${origin}/api/x`, nextAddress());
      return `${status} ${headers.get('x-ratelimit-status')} ${headers.get('x-ratelimit-limit')}`;
    };
    await occasion('degraded class', degraded, 'beside');
    other.exec('rollback');
    other.close();
  }

  async function applicationIsDown(): Promise<void> {
    await application.close();
    await occasion('application', ask);
    application = await startApplication(application.port);
  }

  async function sluiceHangs(): Promise<void> {
    product.process.kill('SIGSTOP');
    const begun = performance.now();
    await occasion('hangs', async (origin) => {
      const said = await ask(origin);
      const seconds = (performance.now() - begun) / 1_000;
      return seconds >= PATIENCE - 0.1 ? said : `${said} after ${seconds} s`;
    });
    const passes = async (origin: string, wish: Wish) => {
      if (wish === 'open') await until(async () => (await ask(origin)) === 'passes');
      return 'passes';
    };
    await occasion('still hangs', passes, 'behind');
    product.process.kill('SIGCONT');
  }

  async function sluiceIsStopped(): Promise<void> {
    await product.kill();
    await occasion('is stopped', ask);
    // One after another: a gateway must not wait because this process is busy.
    for (const { gateway, mode, wish, edge } of edges) {
      if (wish !== 'open') continue;
      // The gateway finds out, or finds out again, that Sluice is down: Caddy cannot repeat a body.
      await ask(edge.origin);
      answers.set(`${gateway} ${mode} open upload`, await upload(edge.origin).catch(String));
    }
  }

  async function sluiceIsBack(env: Record<string, string>): Promise<void> {
    const { directory, port } = product;
    product = await startProduct({ directory, env: { ...env, PORT: String(port) } });
    await occasion('is back', async (origin) => {
      await until(async () => (await call(`${origin}/api/x`, nextAddress())).headers.has('x-ratelimit-limit'));
      return 'yes';
    });
  }

  async function sluiceIsKilledMeanwhile(): Promise<void> {
    const ends = [await begin('cut upload', 'PUT'), await begin('cut GET', 'GET')];
    // Within a second (lb_try_duration), Caddy would try again.
    await wait(1_100);
    await product.kill();
    for (const end of ends) await end();
  }

  beforeAll(async () => {
    const { token, env, ...started } = await startSurroundings();
    ({ product, application } = started);
    first = product;
    const options = { sluice: product.port, application: application.port, token };
    const kinds = installedGateways.flatMap((gateway) =>
      MODES.flatMap((mode) => WISHES.map((wish) => ({ gateway, mode, wish }))),
    );
    await Promise.all(
      kinds.map(async ({ gateway, mode, wish }) => {
        const patience = mode === 'behind' ? PATIENCE : 75;
        const edge = await startGateway(gateway, mode, { ...options, patience, open: wish === 'open' });
        edges.push({ gateway, mode, wish, edge });
      }),
    );
    await storeIsDown();
    await applicationIsDown();
    await sluiceHangs();
    await sluiceIsStopped();
    await sluiceIsBack(env);
    await sluiceIsKilledMeanwhile();
  });
  afterAll(async () => {
    await Promise.all(edges.map(({ edge }) => edge.stop()));
    await application?.close();
    await product?.kill();
    // Removes the directory that both have used.
    await first?.stop();
  });

  proves('While Sluice or the application is down', installedGateways, {
    "Sluice's store is down: its own 503 of a class that is closed passes, also fail-open": async (gateway) => {
      for (const wish of WISHES) {
        const refused = await told('beside', wish, 'closed class')(gateway);
        expect(refused).toMatch(/^503 true .*"service_unavailable".*counter store/);
        expect(await told('beside', wish, 'degraded class')(gateway)).toBe('200 degraded 50');
      }
    },
    'Sluice is stopped': inBothModes('closed', 'is stopped'),
    'Sluice is stopped, fail-open': inBothModes('open', 'is stopped'),
    'Fail-open, once Sluice is known to be down: an upload of 8 MiB arrives, once and whole': async (gateway) => {
      for (const mode of MODES) expect(await told(mode, 'open', 'upload')(gateway)).toBe('200, arrived 1');
    },
    'Behind the gateway, an upload that Sluice did not finish': async (gateway) => {
      const [closed, failOpen] = await Promise.all(WISHES.map((wish) => told('behind', wish, 'cut upload')(gateway)));
      expect(failOpen).toBe(closed);
      return closed;
    },
    'Behind the gateway, fail-open, a GET that Sluice did not finish': told('behind', 'open', 'cut GET'),
    'Sluice hangs, beside the gateway: after 5 s': told('beside', 'closed', 'hangs'),
    'Sluice hangs, beside the gateway, fail-open: after 5 s': told('beside', 'open', 'hangs'),
    'Sluice hangs, behind the gateway: after 75 s': told('behind', 'closed', 'hangs'),
    'Sluice hangs, behind the gateway, fail-open: a GET at first, after 75 s': told('behind', 'open', 'hangs'),
    'Sluice hangs, behind the gateway, fail-open: then': told('behind', 'open', 'still hangs'),
    'Sluice is back: requests are decided again': async (gateway) => {
      for (const wish of WISHES) expect(await inBothModes(wish, 'is back')(gateway)).toBe('yes');
    },
    'The application is down': inBothModes('closed', 'application'),
  });
});
