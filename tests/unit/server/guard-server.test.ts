import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { BodyBudget } from '@/lib/http/body-budget';
import type { Answer } from '@/lib/http/error-answer';
import { guardServer } from '@/lib/process/guard-server';
import { close, listen } from '../../fixtures/listen';
import { until } from '../../fixtures/until';

const BOUNDS = {
  headersTimeout: 60_000,
  requestTimeout: 60_000,
  longestUpstreamWait: 60_000,
  hasUpstream: false,
  peerNonce: 'nonce',
  callerOf: ({ from }: IncomingHttpHeaders) => from ?? '',
  addCorsFields: (answer: Answer) => answer,
};

/** Starts a server that answers once a body has arrived, and returns how to send it a request. */
async function start(bounds: Partial<Parameters<typeof guardServer>[0]> = {}) {
  const kept = new Set<string | undefined>();
  const answer: RequestListener = (request, response) => {
    kept.add(request.url);
    request.resume().once('end', () => response.end('whole'));
    response.once('close', () => kept.delete(request.url));
  };
  const server: Server = createServer({ connectionsCheckingInterval: 20 }, answer);
  onTestFinished(() => close(server));
  const port = await listen(server);
  guardServer({ ...BOUNDS, ...bounds });
  const open = (framing: string, body = '', path = '/auth/token') => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${framing}\r\n\r\n${body}`);
    return { socket, answer: text(socket).catch(() => 'cut off') };
  };
  return { server, kept, open };
}

it('a request that does not arrive in time is 408 from the first one on, and others are answered', async () => {
  const { server, open } = await start({ headersTimeout: 100, requestTimeout: 100 });
  expect(await open('Content-Length: 5', 'he').answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(await open('Content-Length: 5', 'hello').answer).toMatch(/^HTTP\/1\.1 200 .*whole$/s);
  expect([server.headersTimeout, server.requestTimeout]).toEqual([100, 100]);
});

it('the address of the socket is passed on, whatever the client sends', async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['x-sluice-peer'], request.headers['x-request-id']);
    response.end();
  });
  onTestFinished(() => close(server));
  const port = await listen(server);
  guardServer(BOUNDS);
  const headers = { 'X-Sluice-Peer': 'nonce 192.0.2.1', 'X-Request-Id': 'no id' };
  const answer = await fetch(`http://127.0.0.1:${port}/auth/token`, { headers });
  expect(seen).toEqual(['nonce 127.0.0.1', answer.headers.get('x-request-id')]);
});

it('a declared length above the limit of its path is 413 before the body comes', async () => {
  const addCorsFields = (answer: Answer) => ({ ...answer, headers: { ...answer.headers, 'X-Cors': 'added' } });
  const { kept, open } = await start({ hasUpstream: true, addCorsFields });
  for (const [path, length] of [
    ['/auth/token', 65_537],
    ['/v1/check/batch', 1_048_577],
    ['/v1/admin/state', 16_777_217],
    ['/orders', 1_048_577],
  ] as const) {
    const answer = await open(`Content-Length: ${length}`, '', path).answer;
    expect(answer, path).toMatch(/^HTTP\/1\.1 413 .*"error":"payload_too_large"/s);
    expect(answer.includes('X-Cors: added'), path).toBe(path === '/orders');
  }
  expect(kept.size).toBe(0);
  const { socket } = open('Content-Length: 65537', '', '/orders');
  await until(() => kept.has('/orders'));
  socket.destroy();
});

it.each([
  ['Content-Length: 60000', 65_536],
  ['Transfer-Encoding: chunked', 65_536],
])('bodies with %s are bounded in sum, and those that end make room', async (framing, size) => {
  const { kept, open } = await start({ bodies: new BodyBudget(3 * size, 3 * size) });
  const arriving = [1, 2, 3].map((each) => open(framing, '', `/auth/token?${each}`));
  await until(() => kept.size === 3);
  const refused = await open(framing).answer;
  expect(refused).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 2.*"error":"service_unavailable"/s);
  arriving[0]?.socket.destroy();
  await until(() => kept.size === 2);
  const next = open(framing, '', '/auth/token?4');
  await until(() => kept.has('/auth/token?4'));
  for (const { socket } of [...arriving, next]) socket.destroy();
  await until(() => kept.size === 0);
});

it('bodies of one caller leave room for those of others', async () => {
  const { kept, open } = await start({ bodies: new BodyBudget(3 * 60_000, 2 * 60_000) });
  const send = (caller: string, path: string) => open(`Content-Length: 60000\r\nFrom: ${caller}`, '', path);
  const arriving = ['/auth/token?1', '/auth/token?2'].map((path) => send('a', path));
  await until(() => kept.size === 2);
  expect(await send('a', '/auth/token?3').answer).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 2/s);
  arriving.push(send('b', '/auth/token?4'));
  await until(() => kept.has('/auth/token?4'));
  for (const { socket } of arriving) socket.destroy();
  await until(() => kept.size === 0);
});

it('an upstream whose answer does not begin in time is 503, and one that has begun may take long', async () => {
  const server = createServer((request, response) => {
    request.resume();
    // As Next does, which sets fields before the body comes.
    response.setHeader('Transfer-Encoding', 'chunked');
    response.setHeader('X-RateLimit-Limit', '50');
    response.setHeader('Connection', 'close, X-Internal');
    response.setHeader('X-Internal', 'of the connection');
    if (request.url === '/stream') new PassThrough().pipe(response);
  });
  onTestFinished(() => close(server));
  const port = await listen(server);
  const addCorsFields = (answer: Answer, { from }: IncomingHttpHeaders) => ({
    ...answer,
    headers: { ...answer.headers, 'Access-Control-Allow-Origin': `of ${from}` },
  });
  guardServer({ ...BOUNDS, hasUpstream: true, longestUpstreamWait: 100, addCorsFields });
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      body: 'a',
      headers: { 'X-Request-Id': 'of-the-client', From: 'a' },
    });
  const stream = await ask('/stream');
  const answer = await ask('/orders');
  const fields = ['retry-after', 'x-ratelimit-limit', 'x-request-id', 'access-control-allow-origin'];
  const values = fields.map((name) => answer.headers.get(name));
  expect([answer.status, ...values]).toEqual([503, '2', '50', 'of-the-client', 'of a']);
  expect(await answer.json()).toMatchObject({ error: 'service_unavailable' });
  expect([stream.status, stream.headers.get('x-internal')]).toEqual([200, null]);
  await stream.body?.cancel();
});
