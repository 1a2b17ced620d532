import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Application, startApplication } from '../../fixtures/application';
import { type Product, startProduct } from '../../fixtures/product';

let product: Product;
let upstream: Application;

beforeAll(async () => {
  upstream = await startApplication(({ method, url }, response) => {
    response.setHeader('X-Upstream', 'yes');
    response.end(`upstream ${method} ${url}`);
  });
  product = await startProduct({
    env: { SLUICE_UPSTREAM: `http://127.0.0.1:${upstream.port}`, SLUICE_IETF_HEADERS: 'on' },
  });
});
afterAll(async () => {
  await product.stop();
  await upstream.close();
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
    const last = upstream.seen.at(-1);
    expect(last?.body).toBe('hello');
    expect(last?.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(last?.headers['x-sluice-peer']).toBeUndefined();
    expect(last?.headers['x-request-id']).toBe(response.headers.get('x-request-id'));
  });

  it('a path never becomes a host', async () => {
    const before = upstream.seen.length;
    const response = await fetch(`${product.origin}//evil.example/x`, { redirect: 'manual' });
    expect([200, 308]).toContain(response.status);
    if (response.status === 200) expect(upstream.seen.length).toBe(before + 1);
    else expect(response.headers.get('location')).toBe('/evil.example/x');
  });

  it('our own routes stay ours', async () => {
    const before = upstream.seen.length;
    expect((await fetch(`${product.origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${product.origin}/v1/admin/policies`)).status).toBe(401);
    expect((await fetch(`${product.origin}/sign-in`)).headers.get('x-upstream')).toBeNull();
    expect(upstream.seen.length).toBe(before);
  });

  it('refusals do not reach it', async () => {
    for (let index = 0; index < 120; index += 1) await fetch(`${product.origin}/flood`, { method: 'DELETE' });
    const refused = await fetch(`${product.origin}/flood`, { method: 'DELETE' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-upstream')).toBeNull();
  });
});
