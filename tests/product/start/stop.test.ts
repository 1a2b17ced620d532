import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../../fixtures/free-port';
import { ADMIN_TOKEN, type Product, startProduct } from '../../fixtures/product';
import { until } from '../../fixtures/until';

/** A multiple of four; more find what is rarer. */
const STOPS = Number(process.env.SLUICE_TEST_STOPS ?? 4);

const running: Product[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const product of running.splice(0)) await product.kill();
});

async function start(env: Record<string, string> = {}): Promise<Product> {
  const product = await startProduct({ env });
  running.push(product);
  return product;
}

/** A raw connection that may end in any way. */
function raw(port: number, text = '', options: { allowHalfOpen?: boolean } = {}): Socket {
  const socket = connect({ port, host: '127.0.0.1', ...options });
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.resume();
  if (text !== '') socket.write(text);
  return socket;
}

/** A client that asks again and again until the listener is closed. */
interface Client {
  answers: number;
  /** How requests failed otherwise. */
  ended: Promise<string[]>;
}

/**
 * Starts one. As every client must that keeps connections, it sends a request again whose connection was closed for
 * having been idle (RFC 9112, section 9.3.1). On a starved machine one can be silent through the whole drain, and a new
 * one for a second.
 */
function startClient(product: Product, path: string, agent: Agent | false): Client {
  const ask = async (faults: string[] = []): Promise<string[]> => {
    for (;;) {
      const began = performance.now();
      const code = await new Promise<string | null>((resolve) => {
        const call = request(`${product.origin}${path}`, { agent }, (response: IncomingMessage) => {
          response.resume();
          response.once('end', () => resolve(null));
          response.once('error', (error) => resolve(`in the answer: ${error.message}`));
        });
        call.once('error', (error) => {
          const code = 'code' in error ? String(error.code) : error.message;
          // The stop closes a connection that has sent nothing for a second.
          const isLate = performance.now() - began > 1_000;
          resolve((call.reusedSocket || isLate) && code === 'ECONNRESET' ? 'again' : code);
        });
        call.end();
      });
      if (code === 'ECONNREFUSED') return faults;
      if (code === null) client.answers += 1;
      else if (code !== 'again') faults.push(code);
    }
  };
  const client: Client = { answers: 0, ended: Promise.resolve([]) };
  client.ended = ask();
  return client;
}

/** Milliseconds until a stop cuts off requests: half a second of drain, and 3.5 seconds for what is in flight. */
const GRACE = 4_000;

it(`resets nobody in ${STOPS} stops under 20 clients that come back until they are refused`, async () => {
  const faults: string[] = [];
  for (let stops = 0; stops < STOPS; stops += 4) {
    const products = await Promise.all(Array.from({ length: 4 }, () => start({ SLUICE_DRAIN_SECONDS: '0.5' })));
    await Promise.all(
      products.map(async (product) => {
        const agent = new Agent({ keepAlive: true });
        const clients = Array.from({ length: 20 }, (_, index) =>
          startClient(product, index % 4 < 2 ? '/healthz' : '/v1/check', index % 2 === 0 ? agent : false),
        );
        await until(() => clients.every(({ answers }) => answers > 0));
        const began = performance.now();
        expect(await product.stop()).toBe(0);
        const isCut = performance.now() - began > GRACE;
        const seen = await Promise.all(clients.map(({ ended }) => ended));
        // Requests that have not ended by then are cut off, as promised. On a starved machine they may be any.
        if (!isCut) faults.push(...seen.flat());
        agent.destroy();
      }),
    );
  }
  expect(faults).toEqual([]);
});

it('keeps accepting and answering while it says that it is not ready, and tells clients to leave', async () => {
  const product = await start({ SLUICE_DRAIN_SECONDS: '2' });
  const stopped = product.stop();
  await until(async () => (await fetch(`${product.origin}/readyz`)).status === 503);
  const answers = [];
  for (let asked = 0; asked < 5; asked += 1) answers.push(await fetch(`${product.origin}/healthz`));
  expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual(
    Array.from({ length: 5 }, () => [200, 'close']),
  );
  expect(await stopped).toBe(0);
});

it('ends at once with a second signal', async () => {
  const product = await start({ SLUICE_DRAIN_SECONDS: '600' });
  const stopped = product.stop();
  await until(async () => (await fetch(`${product.origin}/readyz`)).status === 503);
  await wait(600);
  product.process.kill('SIGTERM');
  expect(await stopped).toBe(1);
});

it('does not make Ctrl+C wait for the drain', async () => {
  const product = await start({ SLUICE_DRAIN_SECONDS: '600' });
  const ended = new Promise((resolve) => product.process.once('exit', resolve));
  product.process.kill('SIGINT');
  expect(await ended).toBe(0);
});

it('stops without waiting for connections that were opened ahead, as gateways do', async () => {
  const product = await start();
  const silent = raw(product.port);
  await until(() => silent.readyState === 'open');
  // A request in flight, which the end has to wait for.
  const { answer, finish } = slowRequest(product.port);
  // An answer says that the server has seen the connections, which came before.
  expect((await fetch(`${product.origin}/healthz`)).status).toBe(200);
  const stopped = product.stop();
  await until(() => silent.closed);
  // So the silent one was not closed by the deadline at which everything is: this one lives on.
  finish();
  expect(await answer).toBe(200);
  expect(await stopped).toBe(0);
});

it('ends within ten seconds whatever is open, with everything written', async () => {
  const upstream = createServer(() => undefined);
  upstream.on('upgrade', (_request, socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  const port = await freePort();
  await new Promise<void>((resolve) => upstream.listen(port, '127.0.0.1', resolve));
  try {
    // The drain is the default.
    const product = await start({ SLUICE_UPSTREAM: `http://127.0.0.1:${port}`, SLUICE_DRAIN_SECONDS: '' });
    const offer =
      'GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
    const talking = raw(product.port, offer);
    const chatter = setInterval(() => talking.writable && talking.write('x'), 100);
    const idle = raw(product.port, offer);
    const halfClosed = raw(product.port, offer, { allowHalfOpen: true });
    const stalled = raw(
      product.port,
      `GET /v1/admin/decisions HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`,
    );
    const upload = raw(
      product.port,
      'POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nstart',
    );
    const unfinished = raw(product.port, 'POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{');
    const silent = raw(product.port);
    await until(() => [talking, idle, halfClosed].every((socket) => socket.bytesRead > 0));
    halfClosed.end();
    stalled.pause();
    const identifier = '203.0.113.77';
    const changed = await product.admin('POST', '/v1/admin/rate-limit/allowlist', {
      type: 'ip',
      identifier,
      reason: 'x',
    });
    expect(changed.status).toBe(200);
    const begun = performance.now();
    product.process.kill('SIGTERM');
    const code = await new Promise((resolve) => product.process.once('exit', resolve));
    expect(performance.now() - begun).toBeLessThan(10_000);
    clearInterval(chatter);
    expect(code).toBe(0);
    await until(() => [talking, idle, halfClosed, upload, unfinished, silent].every((socket) => socket.closed));
    const again = await startProduct({ directory: product.directory });
    running.push(again);
    const listed = (await (await again.admin('GET', '/v1/admin/rate-limit/allowlist')).json()) as object[];
    expect(listed).toEqual([expect.objectContaining({ identifier })]);
    expect(await (await again.admin('GET', '/v1/admin/audit/verify')).json()).toMatchObject({ valid: true });
  } finally {
    upstream.close();
    upstream.closeAllConnections();
  }
});

/** A change whose body stays away until it is told to come. */
function slowRequest(port: number): { answer: Promise<number | undefined>; finish: () => void } {
  const headers = {
    Authorization: `Bearer ${ADMIN_TOKEN}`,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
  };
  const path = '/v1/admin/rate-limit/allowlist';
  const call = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
  const answer = new Promise<number | undefined>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
  });
  call.write('{"type":"ip","identifier":"203.0.113.5",');
  return { answer, finish: () => call.end('"reason":"slow"}') };
}
