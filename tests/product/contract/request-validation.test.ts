import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../fixtures/free-port';
import { type Product, startProduct } from '../../fixtures/product';
import { until } from '../../fixtures/until';

let upstream: Server;
let product: Product;
const seen: IncomingMessage[] = [];

beforeAll(async () => {
  const port = await freePort();
  upstream = createServer((req, res) => {
    seen.push(req);
    req.resume();
    if (req.url === '/not-modified') res.writeHead(304, { 'Content-Length': '10', ETag: '"x"' }).end();
    else if (req.url === '/continue') {
      res.writeContinue();
      res.writeEarlyHints({ link: '</x>; rel=preload' });
      req.on('end', () => res.end('continued'));
    } else req.on('end', () => res.end(`[${req.url}]`));
  });
  await new Promise<void>((resolve) => upstream.listen(port, '127.0.0.1', resolve));
  product = await startProduct({
    env: {
      SLUICE_UPSTREAM: `http://127.0.0.1:${port}`,
      SLUICE_POLICIES: '{"classes":{"read":{"ip":{"limit":100000}},"write":{"ip":{"limit":100000}}}}',
    },
  });
});
afterAll(async () => {
  await product.stop();
  upstream.closeAllConnections();
  upstream.close();
});

/** A connection and all that came on it. */
function talk(first = ''): { socket: Socket; text: () => string; closed: Promise<string> } {
  const socket = connect(product.port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.on('error', () => undefined);
  if (first !== '') socket.write(first);
  return { socket, text: () => text, closed: new Promise((resolve) => socket.once('close', () => resolve(text))) };
}

/** Status and body of a documented error, with its headers. */
function errorOf(text: string): { status: number; error: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head.toLowerCase()).toContain('\r\ncontent-type: application/json');
  expect(head.toLowerCase()).toContain('\r\ncache-control: no-store');
  expect(head.toLowerCase()).toMatch(/\r\nx-request-id: [\w-]{8,}/);
  const parsed = JSON.parse(body) as { error: string; error_description: string };
  expect(parsed.error_description).toMatch(/^[A-Z].*\.$/);
  return { status: Number(head.split(' ')[1]), error: parsed.error };
}

const AUTHORIZATION = 'Authorization: Bearer test-admin-token-0123456789-0123456789\r\n';
const OWN = [
  '/v1/check',
  '/v1/check/batch',
  '/v1/admin/rate-limit/allowlist',
  '/v1/admin/state',
  '/auth/token',
  '/sign-in',
];
const limitOf = (path: string) =>
  path === '/v1/admin/state' ? 16 * 1024 * 1024 : path === '/v1/check/batch' ? 1024 * 1024 : 64 * 1024;

describe('a body that is too large', () => {
  it.each(OWN)('is 413 by what it declares, before it is sent: %s', async (path) => {
    const { text, closed } = talk(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${limitOf(path) + 1}\r\n\r\n`);
    await until(() => text().includes('payload_too_large'));
    expect(errorOf(await closed)).toEqual({ status: 413, error: 'payload_too_large' });
  });

  it('is 413 without leave to send it', async () => {
    const text = await talk(
      'POST /auth/token HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 100000\r\n\r\n',
    ).closed;
    expect(errorOf(text).status).toBe(413);
  });

  it.each(['/v1/admin/rate-limit/allowlist', '/auth/token'])(
    'is 413 by what comes, of unknown length: %s',
    async (path) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n${AUTHORIZATION}Content-Type: application/json\r\n`;
      const { socket, text, closed } = talk(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      for (let index = 0; index < 5; index += 1) socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`);
      await until(() => text().includes('payload_too_large'));
      expect(errorOf(await closed).status).toBe(413);
    },
  );

  it('can be read as an answer by a client that is still sending', async () => {
    const response = await fetch(`${product.origin}/auth/token`, { method: 'POST', body: new Uint8Array(8_000_000) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: 'payload_too_large' });
  });

  it('is not ours to check where it goes to the upstream', async () => {
    const response = await fetch(`${product.origin}/upload`, { method: 'POST', body: new Uint8Array(20_000_000) });
    expect(await response.text()).toBe('[/upload]');
  });

  it('of exactly the limit is read', async () => {
    const body = ' '.repeat(64 * 1024);
    const answer = await product.admin('POST', '/v1/admin/rate-limit/allowlist');
    expect(answer.status).toBe(400);
    for (const path of ['/v1/admin/rate-limit/allowlist', '/v1/check']) {
      const headers = {
        Authorization: 'Bearer test-admin-token-0123456789-0123456789',
        'Content-Type': 'application/json',
      };
      expect((await fetch(`${product.origin}${path}`, { method: 'POST', body, headers })).status).toBe(400);
    }
  });
});

describe('a body that does not come', () => {
  it('is 408 on every route of our own, an upstream or not, and costs nobody else anything', async () => {
    const slow = OWN.flatMap((path) =>
      ['Content-Length: 500', 'Transfer-Encoding: chunked'].map((framing) =>
        talk(
          `${path === '/v1/admin/state' ? 'PUT' : 'POST'} ${path} HTTP/1.1\r\nHost: a\r\n${AUTHORIZATION}Content-Type: application/json\r\n${framing}\r\n\r\n`,
        ),
      ),
    );
    expect((await fetch(`${product.origin}/upstream`)).status).toBe(200);
    for (const connection of slow)
      expect(errorOf(await connection.closed)).toEqual({ status: 408, error: 'bad_request' });
  });
});

describe('offers of another protocol', () => {
  const offer = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;

  it.each(['/up', '/healthz'])('are passed over, and every pipelined request is answered: %s', async (path) => {
    const last = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const text = await talk(offer(path).repeat(3) + last).closed;
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4);
  });

  it('ten thousand on one connection leave nothing behind', async () => {
    const socket = connect(product.port, '127.0.0.1');
    let answers = 0;
    let rest = '';
    socket.on('data', (data) => {
      const parts = `${rest}${data.toString('latin1')}`.split('HTTP/1.1 ');
      answers += parts.length - 1;
      // A status line may come in two parts.
      rest = (parts.at(-1) ?? '').slice(-8);
    });
    for (let index = 0; index < 10_000; index += 1) socket.write(offer('/v1/check'));
    await until(() => answers === 10_000);
    socket.destroy();
    expect(product.output()).not.toContain('MaxListeners');
  });

  it('for a WebSocket are refused with the reason of their status', async () => {
    const text = await talk(
      'GET /up HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-API-Key: slk_none\r\n\r\n',
    ).closed;
    expect(text).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
  });

  it('for a WebSocket wait for the answers before them', async () => {
    const socket =
      'GET /up HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-API-Key: slk_none\r\n\r\n';
    const text = await talk(`GET /first HTTP/1.1\r\nHost: a\r\n\r\n${socket}`).closed;
    expect(text.indexOf('[/first]')).toBeGreaterThan(0);
    expect(text.indexOf('401 Unauthorized')).toBeGreaterThan(text.indexOf('[/first]'));
  });
});

describe('what no route answers', () => {
  it.each([
    ['another expectation', 'GET /up HTTP/1.1\r\nHost: a\r\nExpect: foo\r\n\r\n', 417, 'bad_request'],
    [
      'an expectation on the decision API',
      'POST /v1/check HTTP/1.1\r\nHost: a\r\nExpect: foo\r\n\r\n',
      417,
      'bad_request',
    ],
    ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', 405, 'method_not_allowed'],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'bad_request'],
    ['two hosts at the decision API', 'POST /v1/check HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', 400, 'bad_request'],
    [
      'an invalid host, in a WebSocket',
      'GET /up HTTP/1.1\r\nHost: a?\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      400,
      'bad_request',
    ],
    [
      'an unknown file of the build',
      'GET /_next/static/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      404,
      'not_found',
    ],
    ['a long head', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(17_000)}\r\n\r\n`, 431, 'bad_request'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
  ])('%s', async (_, bytes, status, error) => {
    expect(errorOf(await talk(bytes).closed)).toEqual({ status, error });
  });

  it('waits for the answers before it', async () => {
    const text = await talk('GET /first HTTP/1.1\r\nHost: a\r\n\r\nhello\r\n\r\n').closed;
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(errorOf(text.slice(text.indexOf('HTTP/1.1 400')))).toEqual({ status: 400, error: 'bad_request' });
  });

  it('on a connection that was said to end is neither answered nor counted', async () => {
    const before = seen.length;
    await talk('GET /up HTTP/1.1\r\nHost: a?\r\n\r\nGET /behind HTTP/1.1\r\nHost: a\r\n\r\n').closed;
    expect(seen.slice(before).map(({ url }) => url)).toEqual([]);
  });
});

describe('answers of the upstream', () => {
  it('come through without a body though they declare one', async () => {
    const response = await fetch(`${product.origin}/not-modified`);
    expect(response.status).toBe(304);
    expect(response.headers.get('etag')).toBe('"x"');
    expect((await fetch(`${product.origin}/up`, { method: 'HEAD' })).status).toBe(200);
  });

  it('come through behind interim ones that nobody asked for', async () => {
    const response = await fetch(`${product.origin}/continue`, { method: 'POST', body: 'x' });
    expect(await response.text()).toBe('continued');
  });
});
