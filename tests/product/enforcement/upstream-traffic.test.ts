import { createServer, METHODS, request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLAIMS, PRIVATE_FIELDS } from '../../../lib/enforcement/forwarded-fields';
import { SAFE_METHODS } from '../../../lib/http/safe-methods';
import { freePort } from '../../fixtures/free-port';
import { LAST_SPELLINGS, SPELLINGS } from '../../fixtures/path-spellings';
import { type Product, startProduct } from '../../fixtures/product';

/** The two ways to the upstream (see `upstream.test.ts`), and how they treat what is unusual: docs/upstream.md. */
const ROADS = [
  {
    entry: 'server.mjs',
    paths: ['/a{b}', '/a//b', '/a/./b', '/a/../b', '/a\\b', '/a?x=%ff&y=a+b&&z', '/a?', '/x/%2e%2e/y'],
    remembers: true,
    largeHead: 100,
    tooLarge: [502, 'bad_gateway', '128 KiB'],
  },
  { entry: 'next start', paths: [], remembers: false, largeHead: 10, tooLarge: [503, 'service_unavailable', 'down'] },
] as const;

/** Paths that both forward byte for byte. */
const PATHS = [
  ...['/files/caf%E9.txt', '/files/caf%C3%A9.txt', '/files/%FF%fe', '/a%2Fb', '/a%2fb', '/a%5Cb', '/%61bc', '/a;x=1;y'],
  ...['/a/', '/a/b/?x=1'],
  ...["/a'()*!$&,:@=+", '/a%20b%7E~', '/a|b', '/a^b', '/x%25zz', '/a.b/c.%2E'],
];

interface Seen {
  method: string | undefined;
  url: string | undefined;
  fields: string[];
  connection: string | undefined;
}

const seen: Seen[] = [];
/** Connections on which the upstream has answered. */
const used = new WeakSet<Socket>();
let upstream: Server;
let origin: string;

beforeAll(async () => {
  upstream = createServer((req, res) => {
    const { method, url = '', rawHeaders } = req;
    // As if it had closed the kept connection when the next request was on its way.
    if (url === '/once' && used.has(req.socket)) return void req.socket.destroy();
    used.add(req.socket);
    const fields = rawHeaders.filter((_, index) => index % 2 === 0);
    seen.push({ method, url, fields, connection: req.headers.connection });
    req.resume();
    if (url.startsWith('/cors') && req.headers.origin !== undefined) {
      res.setHeader('Access-Control-Allow-Origin', req.headers.origin);
      res.setHeader('Access-Control-Allow-Credentials', 'true');
      res.setHeader('Access-Control-Expose-Headers', 'X-Upstream');
    }
    const size = Number(/^\/big\/(\d+)$/.exec(url)?.[1] ?? 0);
    for (let index = 0; index < size; index += 1) res.setHeader(`x-big-${index}`, 'y'.repeat(1_000));
    if (url === '/switching') res.writeHead(101);
    if (url === '/later') res.flushHeaders();
    else res.end('ok');
  });
  const port = await freePort();
  await new Promise<void>((resolve) => upstream.listen(port, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
});

/** A path in every spelling, with odd ones at the end that only some servers read. */
const respell = (path: string) => [...SPELLINGS, ...LAST_SPELLINGS].flatMap(({ of }) => of(path));

describe.each(ROADS)('behind $entry', ({ entry, paths, remembers, largeHead, tooLarge }) => {
  let product: Product;
  beforeAll(async () => {
    const limit = (ip: number) => ({ ip: { limit: ip, window_seconds: 3_600 } });
    const policies = {
      classes: { auth: limit(10_003), read: limit(10_001), write: limit(10_002), sensitive: limit(1) },
      cors_origins: ['https://named.example'],
    };
    product = await startProduct({
      entry,
      env: { SLUICE_UPSTREAM: origin, SLUICE_POLICIES: JSON.stringify(policies) },
    });
    const rules = [
      { method: '*', path: '/cors/limited', class: 'sensitive' },
      { method: 'POST', path: '/spelled/login', class: 'auth', cost: 3 },
      { method: '*', path: '/spelled/*', class: 'write', cost: 2 },
    ];
    expect((await product.admin('PUT', '/v1/admin/route-rules', rules)).status).toBe(200);
  });
  afterAll(async () => {
    await product.stop();
  });

  /** The head of the answer to a request, and what the upstream saw of it. */
  async function send(
    line: string,
    fields: Record<string, string> = {},
  ): Promise<{ head: string; body: string; saw: Seen[] }> {
    const before = seen.length;
    const sent = Object.entries({ Host: 'a.example', Connection: 'close', 'Content-Length': '0', ...fields });
    const text = await new Promise<string>((resolve) => {
      const socket = connect(product.port, '127.0.0.1');
      let received = '';
      socket.on('data', (data) => {
        received += data.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.once('close', () => resolve(received));
      socket.write(`${line} HTTP/1.1\r\n${sent.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    });
    const end = text.indexOf('\r\n\r\n');
    return { head: text.slice(0, end).toLowerCase(), body: text.slice(end + 4), saw: seen.slice(before) };
  }
  const field = (head: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1]?.trim();
  const statusOf = (head: string) => Number(head.split(' ')[1]);

  it.each(METHODS.filter((method) => method !== 'CONNECT' && method !== 'TRACE'))(
    '%s is forwarded and counted',
    async (method) => {
      const { head, saw } = await send(`${method} /files/x`);
      expect(saw.map((request) => `${request.method} ${request.url}`)).toEqual([`${method} /files/x`]);
      expect(statusOf(head)).toBe(200);
      expect(field(head, 'x-ratelimit-limit')).toBe(SAFE_METHODS.has(method) ? '10001' : '10002');
    },
  );

  it('a connection that the upstream closes when it is used again costs no answer', async () => {
    for (let sent = 0; sent < 3; sent += 1) expect(statusOf((await send('GET /once')).head)).toBe(200);
  });

  it('the connection of the upstream does not decide about that of the client', async () => {
    const { head } = await send('GET /files/x');
    expect([field(head, 'connection'), field(head, 'keep-alive')]).toEqual(['close', undefined]);
    const kept = await send('GET /files/x HTTP/1.1\r\nHost: a.example\r\n\r\nGET /files/y');
    expect(kept.head).toMatch(/^connection: keep-alive$/m);
    expect(kept.saw.map(({ url }) => url)).toEqual(['/files/x', '/files/y']);
  });

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    '%s with a body gets a separate connection, because the upstream may take the body for a request',
    async (method) => {
      const before = seen.length;
      const headers = { 'Content-Length': 5 };
      await new Promise((resolve, reject) => {
        const outgoing = request({
          host: '127.0.0.1',
          port: product.port,
          path: '/body',
          method,
          headers,
          agent: false,
        });
        outgoing.on('response', (answer) => answer.resume().once('end', resolve)).on('error', reject);
        outgoing.end('hello');
      });
      expect(seen.slice(before)).toMatchObject([{ method, url: '/body', connection: 'close' }]);
    },
  );

  it.each(['TRACE', 'CONNECT'])('%s is refused and not forwarded', async (method) => {
    const { head, saw } = await send(`${method} /files/x`);
    expect(saw).toEqual([]);
    if (entry === 'server.mjs') expect(statusOf(head)).toBe(405);
  });

  it.each([...PATHS, ...paths])('%s is forwarded byte for byte', async (path) => {
    const { head, saw } = await send(`POST ${path}`);
    expect(statusOf(head)).toBe(200);
    expect(saw.map(({ url }) => url)).toEqual([path]);
  });

  it('a request costs what its explanation says, however its path is spelled', async () => {
    const LIMITS = { auth: 10_003, read: 10_001, write: 10_002, sensitive: 1, lab: null };
    const remaining = new Map<number, number>();
    const faults: unknown[] = [];
    let reached = 0;
    for (const path of ['/spelled/login', '/other/a'].flatMap((plain) => [plain, ...respell(plain)])) {
      const { head, saw } = await send(`POST ${path}`);
      const limit = Number(field(head, 'x-ratelimit-limit'));
      const left = Number(field(head, 'x-ratelimit-remaining'));
      const before = remaining.get(limit);
      remaining.set(limit, left);
      const url = saw[0]?.url;
      // Next redirects some spellings. Other tests have counted before the first request of each class.
      if (url === undefined || before === undefined) continue;
      const cost = before - left;
      reached += 1;
      const question = { method: 'POST', path: url, ip: '192.0.2.1' };
      const explained: { class: keyof typeof LIMITS; cost: number } = await product
        .admin('POST', '/v1/admin/rate-limit/explain', question)
        .then((answer) => answer.json());
      const seen = { class: explained.class, limit: LIMITS[explained.class], cost: explained.cost };
      if (seen.limit !== limit || seen.cost !== cost) faults.push({ path, url, limit, cost, explained: seen });
    }
    expect(faults).toEqual([]);
    expect(reached).toBeGreaterThan(50);
  });

  it('what a client claims does not arrive, in any spelling', async () => {
    const names = [...Object.values(CLAIMS).flat(), ...PRIVATE_FIELDS].map((name) => name.replace('*', 'thing'));
    const spellings = [
      (name: string) => name,
      (name: string) => name.replaceAll('-', '_'),
      (name: string) => name.replaceAll('-', '.'),
    ];
    // The limit headers of the decision, which Next copies into the request.
    const own = entry === 'next start' ? /^x-ratelimit-(?:limit|remaining|reset)$/ : /^$/;
    for (const spell of spellings) {
      const forged = Object.fromEntries(names.map((name) => [spell(name), 'forged']));
      const { saw } = await send('GET /claims', { ...forged, My_Own: '1' });
      const fields = saw[0]?.fields.map((name) => name.toLowerCase()) ?? [];
      expect(fields).toContain('my_own');
      expect(fields.filter((name) => Object.hasOwn(forged, name) && !own.test(name))).toEqual([]);
    }
  });

  it('a preflight counts nowhere, unless the policy says so', async () => {
    const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' };
    for (let index = 0; index < 3; index += 1) {
      const { head, saw } = await send('OPTIONS /cors/limited', preflight);
      expect([statusOf(head), saw.length, field(head, 'x-ratelimit-limit')]).toEqual([200, 1, undefined]);
    }
    const set = (value: boolean) => product.admin('PATCH', '/v1/admin/policies', { count_preflights: value });
    expect((await set(true)).status).toBe(200);
    const counted = await send('OPTIONS /cors/limited', preflight);
    expect([statusOf(counted.head), field(counted.head, 'x-ratelimit-remaining')]).toEqual([200, '0']);
    expect(statusOf((await send('OPTIONS /cors/limited', preflight)).head)).toBe(429);
    expect((await set(false)).status).toBe(200);
    expect(statusOf((await send('OPTIONS /cors/limited', preflight)).head)).toBe(200);
  });

  it('a refusal can be read where the upstream or a policy allows the origin', async () => {
    const refused = async (from: string) => {
      const { head } = await send('POST /cors/limited', { Origin: from });
      expect(statusOf(head)).toBe(429);
      const exposed = field(head, 'access-control-expose-headers') ?? '';
      const isReadable = ['retry-after', 'x-ratelimit-limit', 'x-quota-reset'].every((name) => exposed.includes(name));
      expect(/^vary:.*\borigin\b/m.test(head)).toBe(isReadable);
      return [field(head, 'access-control-allow-origin'), field(head, 'access-control-allow-credentials'), isReadable];
    };
    await send('POST /cors/limited');
    expect(await refused('https://unknown.example')).toEqual([undefined, undefined, false]);
    expect(await refused('https://named.example')).toEqual(['https://named.example', 'true', true]);
    const allowed = await send('GET /cors/open', { Origin: 'https://app.example' });
    expect(field(allowed.head, 'access-control-allow-origin')).toBe('https://app.example');
    if (!remembers) return;
    expect(allowed.head).toMatch(/^access-control-expose-headers: x-upstream$/m);
    expect(allowed.head).toMatch(/^access-control-expose-headers: .*x-ratelimit-remaining/m);
    expect(await refused('https://app.example')).toEqual(['https://app.example', 'true', true]);
    expect(await refused('https://unknown.example')).toEqual([undefined, undefined, false]);
  });

  it('the throttle bounds preflights, and its refusals can be read by the same origins', async () => {
    const throttle = async (limit: number, window_seconds: number) => {
      const answer = await product.admin('PATCH', '/v1/admin/policies', { global: { limit, window_seconds } });
      expect(answer.status).toBe(200);
    };
    const { global } = await product.admin('GET', '/v1/admin/policies').then((answer) => answer.json());
    const ask = (method: string, from: string) =>
      send(`${method} /cors/open`, { Origin: from, 'Access-Control-Request-Method': 'PUT' });
    await ask('GET', 'https://app.example');
    // Another window starts empty.
    await throttle(3, 3_600);
    for (let index = 0; index < 3; index += 1) {
      const { head, saw } = await ask('OPTIONS', 'https://named.example');
      expect([statusOf(head), saw.length, field(head, 'x-ratelimit-limit')]).toEqual([200, 1, undefined]);
    }
    for (const method of ['OPTIONS', 'POST']) {
      const readers: Record<string, boolean> = {
        'https://named.example': true,
        'https://app.example': remembers,
        'https://unknown.example': false,
      };
      for (const [from, isReader] of Object.entries(readers)) {
        const { head, body, saw } = await ask(method, from);
        expect([statusOf(head), saw]).toEqual([503, []]);
        expect(body).toContain('"service_unavailable"');
        expect(Number(field(head, 'retry-after'))).toBeGreaterThan(0);
        expect([from, field(head, 'access-control-allow-origin')]).toEqual([from, isReader ? from : undefined]);
        const exposed = field(head, 'access-control-expose-headers') ?? '';
        expect(exposed.includes('retry-after')).toBe(isReader);
      }
    }
    await throttle(global.limit, global.window_seconds);
    expect(statusOf((await ask('OPTIONS', 'https://named.example')).head)).toBe(200);
  });

  it('an answer begins for the client when it begins, however late its body comes', async () => {
    const left = new AbortController();
    const { status } = await fetch(`${product.origin}/later`, { signal: left.signal });
    expect(status).toBe(200);
    left.abort();
  });

  it('a 101 that the client did not ask for is not forwarded', async () => {
    const { head, body } = await send('GET /switching');
    expect([statusOf(head), JSON.parse(body).error]).toEqual([502, 'bad_gateway']);
  });

  it('an answer with a large head arrives, and one that is too large is said to be so', async () => {
    const { head } = await send(`GET /big/${largeHead}`);
    expect(statusOf(head)).toBe(200);
    expect(head.match(/^x-big-/gm)).toHaveLength(largeHead);
    const refused = await send('GET /big/140');
    const [status, code, words] = tooLarge;
    expect(statusOf(refused.head)).toBe(status);
    expect(JSON.parse(refused.body)).toEqual({ error: code, error_description: expect.stringContaining(words) });
    expect(refused.head).toContain('\nx-ratelimit-limit: 10001');
  });
});
