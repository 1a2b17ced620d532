import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, type Product, startProduct } from '../../fixtures/product';

let product: Product;
let upstream: Server;
let upstreamPort: number;
const seen: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  upstreamPort = await freePort();
  upstream = createServer((req, res) => {
    let body = '';
    req.on('data', (data) => {
      body += String(data);
    });
    req.on('end', () => {
      seen.push({ url: req.url, headers: req.headers, body });
      res.setHeader('X-Upstream', 'yes');
      res.end(`upstream ${req.method} ${req.url}`);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(upstreamPort, '127.0.0.1', resolve));
  product = await startProduct({
    env: { SLUICE_UPSTREAM: `http://127.0.0.1:${upstreamPort}`, SLUICE_IETF_HEADERS: 'on' },
  });
});
afterAll(async () => {
  await product.stop();
  upstream.closeAllConnections();
  upstream.close();
});

describe('with an upstream', () => {
  it('what is no route of our own is limited and passed on, with its query, its body and the true address', async () => {
    const response = await fetch(`${product.origin}/shop/items?page=2&x=%2F`, {
      method: 'POST',
      body: 'hello',
      headers: { 'X-Forwarded-For': '1.2.3.4', 'Content-Type': 'text/plain' },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('upstream POST /shop/items?page=2&x=%2F');
    expect(response.headers.get('x-upstream')).toBe('yes');
    expect(response.headers.get('x-ratelimit-limit')).toBe('50');
    expect(response.headers.get('ratelimit-policy')).toContain('"ip";q=50;w=60');
    const last = seen.at(-1);
    expect(last?.body).toBe('hello');
    expect(last?.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(last?.headers['x-sluice-peer']).toBeUndefined();
    expect(last?.headers['x-request-id']).toBe(response.headers.get('x-request-id'));
  });

  it('a path never becomes a host', async () => {
    const before = seen.length;
    const response = await fetch(`${product.origin}//evil.example/x`, { redirect: 'manual' });
    expect([200, 308]).toContain(response.status);
    if (response.status === 200) expect(seen.length).toBe(before + 1);
    else expect(response.headers.get('location')).toBe('/evil.example/x');
  });

  it('our own routes stay ours', async () => {
    const before = seen.length;
    expect((await fetch(`${product.origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${product.origin}/v1/admin/policies`)).status).toBe(401);
    expect((await fetch(`${product.origin}/sign-in`)).headers.get('x-upstream')).toBeNull();
    expect(seen.length).toBe(before);
  });

  it('refusals do not reach it', async () => {
    for (let index = 0; index < 120; index += 1) await fetch(`${product.origin}/flood`, { method: 'DELETE' });
    const refused = await fetch(`${product.origin}/flood`, { method: 'DELETE' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-upstream')).toBeNull();
  });
});
