import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Application, startApplication } from '../../fixtures/application';
import { type Product, startProduct } from '../../fixtures/product';

/**
 * The two ways to the upstream, and how they differ. `server.mjs` streams; Next alone (as on Vercel) rewrites in
 * `proxy.ts`, has no attested address, joins repeated slashes by a redirect, holds a body of at most 1 MB, and also sends
 * the headers of the decision to the upstream.
 */
const ENTRIES = [
  {
    entry: 'server.mjs',
    address: '127.0.0.1',
    largestBody: 12_000_000,
    doubleSlash: 200,
    ours: /^x-admin-token$|ratelimit|sluice/,
  },
  { entry: 'next start', address: undefined, largestBody: 1_000_000, doubleSlash: 308, ours: /^x-admin-token$|sluice/ },
] as const;

describe.each(ENTRIES)('with an upstream, under $entry', ({ entry, address, largestBody, doubleSlash, ours }) => {
  let product: Product;
  let upstream: Application;

  beforeAll(async () => {
    upstream = await startApplication(({ method, url }, response) => {
      response.setHeader('X-Upstream', 'yes');
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.end(`upstream ${method} ${url}`);
    });
    product = await startProduct({
      entry,
      env: { SLUICE_UPSTREAM: `http://127.0.0.1:${upstream.port}`, SLUICE_IETF_HEADERS: 'on' },
    });
  });
  afterAll(async () => {
    await product.stop();
    await upstream.close();
  });

  it('what is no route of our own is limited and passed on, with its query, its body and the true address', async () => {
    const response = await fetch(`${product.origin}/shop/items?page=2&x=%2F`, {
      method: 'POST',
      body: 'hello',
      headers: { 'X-Forwarded-For': '1.2.3.4', 'Content-Type': 'text/plain' },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('upstream POST /shop/items?page=2&x=%2F');
    expect(response.headers.get('x-upstream')).toBe('yes');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-ratelimit-limit')).toBe('50');
    expect(response.headers.get('ratelimit-policy')).toContain('"ip";q=50;w=60');
    const last = upstream.seen.at(-1);
    expect(last?.body).toBe('hello');
    expect(last?.headers['x-forwarded-for']).toBe(address);
    expect(last?.headers['x-sluice-peer']).toBeUndefined();
    expect(last?.headers['x-request-id']).toBe(response.headers.get('x-request-id'));
  });

  it(`a body of ${largestBody} bytes arrives whole`, async () => {
    const response = await fetch(`${product.origin}/upload`, { method: 'PUT', body: 'a'.repeat(largestBody) });
    expect(response.status).toBe(200);
    expect(upstream.seen.at(-1)?.body.length).toBe(largestBody);
  });

  it('an encoded slash stays encoded', async () => {
    await fetch(`${product.origin}/shop/a%2Fb?x=1`);
    expect(upstream.seen.at(-1)?.url).toBe('/shop/a%2Fb?x=1');
  });

  it('the means to administer Sluice do not go with it, nor headers of our answer', async () => {
    const headers = { Cookie: 'mine=1; next-auth.session-token=secret', 'X-Admin-Token': 'x' };
    await fetch(`${product.origin}/shop`, { headers });
    const sent = upstream.seen.at(-1)?.headers ?? {};
    expect(sent.cookie).toBe('mine=1');
    expect(Object.keys(sent).filter((name) => ours.test(name))).toEqual([]);
  });

  it('a path never becomes a host', async () => {
    const before = upstream.seen.length;
    const response = await fetch(`${product.origin}//evil.example/x`, { redirect: 'manual' });
    expect(response.status).toBe(doubleSlash);
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
