import { createServer, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Application, startApplication } from '../../fixtures/application';
import { freePort } from '../../fixtures/free-port';
import { listen } from '../../fixtures/listen';
import { type Product, startProduct } from '../../fixtures/product';
import { until } from '../../fixtures/until';

let upstream: Application;
let product: Product;

beforeAll(async () => {
  upstream = await startApplication((_request, response) => {
    response.setHeader('Set-Cookie', ['a=1', 'b=2']);
    response.end('from upstream');
  });
  upstream.server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  product = await startProduct({
    env: {
      SLUICE_UPSTREAM: `http://127.0.0.1:${upstream.port}`,
      SLUICE_TRUSTED_PROXIES: '127.0.0.1',
      SLUICE_POLICIES: '{"classes":{"read":{"ip":{"limit":3}}}}',
    },
  });
});
afterAll(async () => {
  await product.stop();
  await upstream.close();
});

describe('what is passed on', () => {
  it('keeps its whole body, also a large one', async () => {
    const body = new Uint8Array(12_000_000).fill(97);
    const response = await fetch(`${product.origin}/upload`, { method: 'PUT', body });
    expect(response.status).toBe(200);
    expect(upstream.seen.at(-1)?.body.length).toBe(body.length);
  });

  it('keeps its path as it was sent, and its cookies come back one by one', async () => {
    const response = await fetch(`${product.origin}/shop//a%2Fb/?x=1`, { method: 'POST', redirect: 'manual' });
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(upstream.seen.at(-1)?.url).toBe('/shop//a%2Fb/?x=1');
  });

  it('does not take the means to administer Sluice with it, nor headers of our answer', async () => {
    const headers = {
      Cookie: 'mine=1; next-auth.session-token=secret',
      'X-Admin-Token': 'x',
      'X-Forwarded-For': '192.0.2.1',
    };
    await fetch(`${product.origin}/shop`, { headers });
    const sent = upstream.seen.at(-1)?.headers ?? {};
    expect(sent.cookie).toBe('mine=1');
    expect(Object.keys(sent).filter((name) => /^x-admin-token$|ratelimit|sluice/.test(name))).toEqual([]);
  });

  it('may be a WebSocket, which is limited as every request', async () => {
    const open = () =>
      new Promise<{ status: number | undefined; echo: string }>((resolve, reject) => {
        const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'X-Forwarded-For': '192.0.2.77' };
        const call = request(`${product.origin}/socket`, { headers });
        call.on('error', reject);
        call.on('response', (response) => {
          response.resume();
          resolve({ status: response.statusCode, echo: '' });
        });
        call.on('upgrade', (response, socket) => {
          socket.on('data', (data) => {
            resolve({ status: response.statusCode, echo: String(data) });
            socket.destroy();
          });
          socket.write('hello');
        });
        call.end();
      });
    for (let index = 0; index < 3; index += 1) expect(await open()).toEqual({ status: 101, echo: 'hello' });
    expect((await open()).status).toBe(429);
  });
});

describe('an upstream that is away', () => {
  it('is 503 with our body and Retry-After', async () => {
    const away = await startProduct({ env: { SLUICE_UPSTREAM: `http://127.0.0.1:${await freePort()}` } });
    try {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(`${away.origin}/shop`, { method });
        expect(response.status).toBe(503);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(response.headers.get('x-ratelimit-limit')).toBeTruthy();
        expect(await response.json()).toEqual({ error: 'service_unavailable', error_description: expect.any(String) });
      }
    } finally {
      await away.stop();
    }
  });

  it('in the middle of an answer breaks that answer off and nothing else', async () => {
    const broken = createServer((_, res) => {
      res.writeHead(200, { 'Content-Length': '100' });
      res.write('half');
      setTimeout(() => res.destroy(), 50);
    });
    const before = await startProduct({ env: { SLUICE_UPSTREAM: `http://127.0.0.1:${await listen(broken)}` } });
    try {
      await expect(fetch(`${before.origin}/x`).then((response) => response.text())).rejects.toThrow();
      await until(async () => (await fetch(`${before.origin}/healthz`)).ok);
    } finally {
      await before.stop();
      broken.close();
    }
  });
});
