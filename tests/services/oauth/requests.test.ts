import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAudit } from '@/lib/admin/audit-log/list';
import { sendOAuthRequest } from '@/lib/admin/oauth-requests/send';
import { createToken } from '@/lib/admin/tokens/create';
import { classify } from '@/lib/enforcement/classify';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { type TestServices, testServices } from '@/tests/fixtures/services';

const SECRET = 'a-secret-that-nobody-may-find-again';

let server: Server;
let origin: string;
let answer: RequestListener;
const seen: { method?: string; url?: string; headers: NodeJS.Dict<string | string[]>; body: string }[] = [];
let here: TestServices;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  seen.length = 0;
  answer = (_, response) => response.end('{}');
  here = await testServices({ SLUICE_ASSESS_ALLOW: '127.0.0.1/32' });
});
afterEach(() => here[Symbol.dispose]());

const send = (body: Record<string, unknown>, services = here.services, headers: Record<string, string> = {}) =>
  call(services, sendOAuthRequest, { body, headers });

describe('a request of the OAuth client', () => {
  it('is sent as it was written, and answered as it came', async () => {
    answer = (_, response) => {
      response.writeHead(418, { 'x-kind': 'teapot', 'dpop-nonce': 'n-1', 'set-cookie': 'session=1' });
      response.end('short and stout');
    };
    const headers = [
      ['Authorization', `Basic ${SECRET}`],
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['DPoP', 'a.b.c'],
    ];
    const { status, json } = await send({ method: 'POST', url: `${origin}/token?a=1`, headers, body: 'b=2&c=%20' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 418, body: 'short and stout' });
    const names = json.headers.map(([name]: [string]) => name);
    expect(names).toEqual(expect.arrayContaining(['x-kind', 'dpop-nonce']));
    expect(names).not.toContain('set-cookie');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: 'POST', url: '/token?a=1', body: 'b=2&c=%20' });
    expect(seen[0]?.headers).toMatchObject({ authorization: `Basic ${SECRET}`, dpop: 'a.b.c' });
  });

  it('is answered without a raw invisible character, and as it came', async () => {
    const hostile = 'a\u202eb\u2066c\u200bd\u001b[2Je\u0085f\u2028g\u{e0041}';
    answer = (_, response) => response.end(hostile);
    const { text, json } = await send({ method: 'GET', url: origin });
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(json.body).toBe(hostile);
  });

  it('follows no redirect', async () => {
    answer = (_, response) => response.writeHead(302, { location: `${origin}/elsewhere` }).end();
    const { json } = await send({ method: 'GET', url: `${origin}/authorize` });
    expect(json.status).toBe(302);
    expect(json.headers).toContainEqual(['location', `${origin}/elsewhere`]);
    expect(seen.map(({ url }) => url)).toEqual(['/authorize']);
  });

  it('leaves an audit record of host and method, and nothing else', async () => {
    await send({
      method: 'POST',
      url: `${origin}/token?hint=${SECRET}`,
      headers: [['Authorization', `Basic ${SECRET}`]],
      body: `client_secret=${SECRET}`,
    });
    const { json, text } = await call(here.services, listAudit, {});
    expect(json).toHaveLength(1);
    expect(json[0]).toMatchObject({
      action: 'oauth_request.send',
      target: new URL(origin).host,
      after: { method: 'POST' },
    });
    expect(text).not.toContain(SECRET);
  });

  it('counts as a write of the person who sends it', () => {
    expect(classify([], 'POST', '/v1/oauth/requests')).toMatchObject({ class: 'write', cost: 1 });
  });

  it.each([
    ['viewer', 403],
    ['operator', 200],
  ])('needs the role operator: %s is answered %i', async (role, status) => {
    const { json } = await call(here.services, createToken, { body: { name: role, role } });
    const headers = { Authorization: `Bearer ${json.token}` };
    expect((await send({ method: 'GET', url: origin }, here.services, headers)).status).toBe(status);
    expect(seen).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe('what is not sent', () => {
  it.each([
    ['a private address', () => origin],
    ['a name of one', () => origin.replace('127.0.0.1', 'localhost')],
    ['the metadata service of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['an address in disguise', () => origin.replace('127.0.0.1', '0x7f000001')],
    ['an IPv4 address in IPv6', () => origin.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
  ])('%s, unless it is allowed', async (_, url) => {
    using closed = await testServices();
    const refused = await send({ method: 'GET', url: url() }, closed.services);
    expectInvalid(refused);
    expect(refused.json.details[0]).toMatchObject({ path: 'url', message: expect.stringContaining('not public') });
    expect(seen).toHaveLength(0);
  });

  it.each([
    ['another protocol', { url: 'file:///etc/passwd' }],
    ['no URL', { url: 'login.example.com' }],
    ['credentials in the URL', { url: 'https://user:secret@login.example.com/' }],
    ['another method', { method: 'DELETE' }],
    ['a body with GET', { body: 'x=1' }],
    ['a line break in a header', { headers: [['X-Test', 'a\r\nX-Injected: 1']] }],
    ['a line break in the name of one', { headers: [['X-Test\r\nX-Injected', '1']] }],
    ['a Host header', { headers: [['Host', 'internal']] }],
    ['a Cookie', { headers: [['cookie', 'session=1']] }],
    ['a length', { headers: [['Content-Length', '1']] }],
    ['a transfer encoding', { headers: [['Transfer-Encoding', 'chunked']] }],
    ['a forwarded address', { headers: [['X-Forwarded-For', '203.0.113.1']] }],
    ['33 headers', { headers: Array.from({ length: 33 }, (_, index) => [`X-${index}`, '1']) }],
    ['a huge body', { method: 'POST', body: 'x'.repeat(32_769) }],
    ['an unknown member', { redirect: 'follow' }],
  ])('%s', async (_, part) => {
    expectInvalid(await send({ method: 'GET', url: origin, ...part }));
    expect(seen).toHaveLength(0);
  });
});

describe('an answer that does not come', () => {
  const reasonOf = async (url: string) => {
    const refused = await send({ method: 'GET', url });
    expectInvalid(refused);
    return refused.json.details[0].message;
  };

  it('is larger than 256 KiB', async () => {
    answer = (_, response) => response.end('x'.repeat(262_145));
    expect(await reasonOf(origin)).toBe('answered with more than 256 KiB');
    answer = (_, response) => response.end('x'.repeat(262_144));
    expect((await send({ method: 'GET', url: origin })).json.body).toHaveLength(262_144);
  });

  it('takes longer than 10 s', async () => {
    answer = (_, response) => {
      response.writeHead(200);
      response.write('begun');
    };
    expect(await reasonOf(origin)).toBe('did not answer within 10 s');
  });

  it('breaks off, or comes from nobody', async () => {
    answer = (request) => request.socket.destroy();
    expect(await reasonOf(origin)).toBe('closed the connection without an answer');
    expect(await reasonOf('http://127.0.0.1:1/')).toBe('refuses connections');
    expect(await reasonOf('https://nobody.invalid/')).toMatch(/host name that/);
  });
});
