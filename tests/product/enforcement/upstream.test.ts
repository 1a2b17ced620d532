import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../fixtures/free-port';
import { type Product, startProduct } from '../../fixtures/product';
import { until } from '../../fixtures/until';

/**
 * The two ways to the upstream and all that is known to differ: `server.mjs` streams; under `next start` (and on Vercel)
 * `proxy.ts` decides and Next proxies. It tidies paths, copies the headers of an answer into
 * the request, ignores offers of a WebSocket, refuses bodies over 1 MiB and sees no status of an answer.
 */
const ROADS = [
  {
    entry: 'server.mjs',
    largestBody: 12_000_000,
    passedOn: [
      '/shop/a%2Fb?x=1',
      '/shop/a%2Fb/?x=1',
      '/shop//a%2Fb/?x=1',
      '//evil.example/x',
      '//login',
      '/;a/x',
      '/x/..;/d%6fcs',
    ],
    redirected: {},
    ownFields: [],
    sockets: [...Array(3).fill({ status: 101, echo: 'hello' }), { status: 429, echo: '' }],
    givesBack: true,
  },
  {
    entry: 'next start',
    largestBody: 900_000,
    passedOn: ['/shop/a%2Fb?x=1', '/shop/a%2Fb/?x=1', '/;a/x', '/x/..;/d%6fcs'],
    redirected: { '/shop//a%2Fb/?x=1': '/shop/a%2Fb/?x=1', '//evil.example/x': '/evil.example/x' },
    ownFields: ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
    sockets: [...Array(3).fill({ status: 200, echo: '' }), { status: 429, echo: '' }],
    givesBack: false,
  },
] as const;

const seen: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
let upstream: Server;
let upstreamOrigin: string;

beforeAll(async () => {
  upstream = createServer((req, res) => {
    let body = '';
    req.on('data', (data) => {
      body += String(data);
    });
    req.on('end', () => {
      seen.push({ url: req.url, headers: req.headers, body });
      if (body === 'wrong password') res.statusCode = 401;
      res.setHeader('X-Upstream', 'yes');
      res.setHeader('Set-Cookie', ['a=1', 'b=2']);
      res.end(`upstream ${req.method} ${req.url}`);
    });
  });
  upstream.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  upstreamOrigin = await listen(upstream);
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

describe.each(ROADS)('an upstream behind $entry', (road) => {
  const { entry } = road;
  let product: Product;
  /** Behind a trusted proxy, with a small limit. */
  let proxied: Product;

  beforeAll(async () => {
    [product, proxied] = await Promise.all([
      startProduct({ entry, env: { SLUICE_UPSTREAM: upstreamOrigin, SLUICE_IETF_HEADERS: 'on' } }),
      startProduct({
        entry,
        env: {
          SLUICE_UPSTREAM: upstreamOrigin,
          SLUICE_TRUSTED_PROXIES: '127.0.0.1',
          SLUICE_POLICIES: '{"classes":{"read":{"ip":{"limit":3}}}}',
        },
      }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([product.stop(), proxied.stop()]);
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
    expect(response.headers.get('x-middleware-rewrite')).toBeNull();
    expect(response.headers.get('x-ratelimit-limit')).toBe('50');
    expect(response.headers.get('ratelimit-policy')).toContain('"ip";q=50;w=60');
    const last = seen.at(-1);
    expect(last?.body).toBe('hello');
    expect(last?.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(last?.headers['x-sluice-peer']).toBeUndefined();
    expect(last?.headers['x-request-id']).toBe(response.headers.get('x-request-id'));
  });

  it('counts only failures where its route rule says so, if it sees how requests are answered', async () => {
    const rules = [{ method: 'POST', path: '/login', class: 'sensitive', counts: 'failures' }];
    expect((await product.admin('PUT', '/v1/admin/route-rules', rules)).status).toBe(200);
    const used = async () => {
      const answer = await product.admin('GET', '/v1/admin/rate-limit/counters?type=ip&identifier=127.0.0.1');
      const { counters }: { counters: { class: string; used: number }[] } = await answer.json();
      return counters.find((counter) => counter.class === 'sensitive')?.used;
    };
    const logIn = async (password: string) => {
      const answer = await fetch(`${product.origin}/login`, { method: 'POST', body: password });
      return [answer.status, answer.headers.get('x-ratelimit-remaining')];
    };
    expect(await logIn('wrong password')).toEqual([401, '29']);
    expect(await logIn('right password')).toEqual([200, '28']);
    // It is given back once the answer has begun.
    if (road.givesBack) await until(async () => (await used()) === 1);
    expect(await logIn('wrong password')).toEqual([401, road.givesBack ? '28' : '27']);
  });

  it('a large body is passed on whole', async () => {
    const body = new Uint8Array(road.largestBody).fill(97);
    const response = await fetch(`${product.origin}/upload`, { method: 'PUT', body });
    expect(response.status).toBe(200);
    expect(seen.at(-1)?.body.length).toBe(body.length);
  });

  if (road.entry === 'next start')
    it('a body that Next would cut off is refused', async () => {
      const before = seen.length;
      const send = async (body: BodyInit) =>
        (await fetch(`${product.origin}/upload`, { method: 'PUT', body, duplex: 'half' } as RequestInit)).status;
      expect(await send(new Uint8Array(1024 * 1024 + 1))).toBe(413);
      expect(await send(new Blob(['chunks']).stream())).toBe(413);
      expect(seen.length).toBe(before);
    });

  it.each(road.passedOn)(
    '%s keeps its path and never becomes a host, and its cookies come back one by one',
    async (path) => {
      const response = await fetch(`${product.origin}${path}`, { method: 'POST', redirect: 'manual' });
      expect(response.status).toBe(200);
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
      expect(seen.at(-1)?.url).toBe(path);
    },
  );

  it.each(Object.entries(road.redirected))('%s is redirected to %s', async (path, location) => {
    const before = seen.length;
    const response = await fetch(`${product.origin}${path}`, { method: 'POST', redirect: 'manual' });
    expect(response.status).toBe(308);
    expect(response.headers.get('location')).toBe(location);
    expect(seen.length).toBe(before);
  });

  it('our own routes stay ours', async () => {
    const before = seen.length;
    expect((await fetch(`${product.origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${product.origin}/v1/admin/policies`)).status).toBe(401);
    expect((await fetch(`${product.origin}/sign-in`)).headers.get('x-upstream')).toBeNull();
    expect(seen.length).toBe(before);
  });

  it('what is not HTTP as we read it', async () => {
    expect((await fetch(`${product.origin}/shop%zz`)).status).toBe(400);
    const response = await call(`${product.origin}/shop`, { method: 'TRACE' });
    expect(response?.statusCode).toBe(405);
  });

  it('refusals do not reach it', async () => {
    for (let index = 0; index < 120; index += 1) await fetch(`${product.origin}/flood`, { method: 'DELETE' });
    const refused = await fetch(`${product.origin}/flood`, { method: 'DELETE' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-upstream')).toBeNull();
  });

  it('does not get the means to administer Sluice, nor headers of our answer', async () => {
    const headers = {
      Cookie: 'mine=1; next-auth.session-token=secret',
      'X-Admin-Token': 'x',
      'X-Forwarded-For': '192.0.2.1',
    };
    await fetch(`${proxied.origin}/shop`, { headers });
    const sent = seen.at(-1)?.headers ?? {};
    expect(sent.cookie).toBe('mine=1');
    const own = Object.keys(sent).filter((name) => /^x-admin-token$|ratelimit|sluice/.test(name));
    expect(own).toEqual(road.ownFields);
  });

  it('a WebSocket is limited as every request', async () => {
    const attempts: { status: number | undefined; echo: string }[] = [];
    for (const _ of road.sockets) {
      let echo = '';
      const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'X-Forwarded-For': '192.0.2.77' };
      const response = await call(`${proxied.origin}/socket`, { headers }, (text) => {
        echo = text;
      });
      attempts.push({ status: response?.statusCode, echo });
    }
    expect(attempts).toEqual(road.sockets);
  });

  it('down: an error, with the headers of the decision', async () => {
    const SLUICE_POLICIES = JSON.stringify({ cors_origins: ['https://named.example'] });
    const SLUICE_UPSTREAM = `http://127.0.0.1:${await freePort()}`;
    const down = await startProduct({ entry, env: { SLUICE_UPSTREAM, SLUICE_POLICIES } });
    try {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(`${down.origin}/shop`, { method, headers: { Origin: 'https://named.example' } });
        expect(response.status).toBe(503);
        expect(response.headers.get('access-control-allow-origin')).toBe('https://named.example');
        expect(response.headers.get('x-ratelimit-limit')).toBeTruthy();
        expect(response.headers.get('x-middleware-rewrite')).toBeNull();
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(await response.json()).toEqual({ error: 'service_unavailable', error_description: expect.any(String) });
      }
    } finally {
      await down.stop();
    }
  });

  it('going down in the middle of an answer breaks that answer off and nothing else', async () => {
    const broken = createServer((_, res) => {
      res.writeHead(200, { 'Content-Length': '100' });
      res.write('half');
      setTimeout(() => res.destroy(), 50);
    });
    const before = await startProduct({ entry, env: { SLUICE_UPSTREAM: await listen(broken) } });
    try {
      await expect(fetch(`${before.origin}/x`).then((response) => response.text())).rejects.toThrow();
      await until(async () => (await fetch(`${before.origin}/healthz`)).ok);
    } finally {
      await before.stop();
      broken.close();
    }
  });
});

async function listen(server: Server): Promise<string> {
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${port}`;
}

/** Calls with what `fetch` does not send; undefined without an answer. */
function call(
  url: string,
  options: { method?: string; headers?: Record<string, string> },
  echoed: (text: string) => void = () => undefined,
): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const outgoing = request(url, { ...options, agent: false, timeout: 60_000 });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(undefined));
    outgoing.on('response', (response) => {
      response.resume();
      resolve(response);
    });
    outgoing.on('upgrade', (response, socket) => {
      socket.on('data', (data) => {
        echoed(String(data));
        resolve(response);
        socket.destroy();
      });
      socket.write('hello');
    });
    outgoing.end();
  });
}
