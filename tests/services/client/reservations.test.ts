import { createServer } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { limit as expressLimit } from '@/client/adapters/express';
import { limit as fastifyLimit } from '@/client/adapters/fastify';
import { limit as fetchLimit } from '@/client/adapters/fetch';
import { limit as honoLimit } from '@/client/adapters/hono';
import { limit as koaLimit } from '@/client/adapters/koa';
import { Sluice } from '@/client/sluice';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { createLimit } from '@/lib/admin/named-limits/create';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { call } from '@/tests/fixtures/call';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { faultySluice } from '@/tests/fixtures/faulty-sluice';
import { close, listen } from '@/tests/fixtures/listen';
import { serveWeb } from '@/tests/fixtures/serve-web';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';
import { untilPasses } from '@/tests/fixtures/until';

let place: TestServices;
let server: Awaited<ReturnType<typeof decisionServer>>;
let sluice: Sluice;
beforeAll(async () => {
  place = await testServices();
  server = await decisionServer(place.services);
  sluice = new Sluice({ url: server.url, token: TEST_ADMIN_TOKEN, timeout: 60_000, onUnreachable: 'throw' });
  const named = [
    { name: 'tokens', unit: 'tokens', windows: [{ limit: 1_000, seconds: 60 }] },
    { name: 'streams', in_flight: { limit: 1, lease_seconds: 3_600 } },
  ];
  for (const body of named) expect((await call(place.services, createLimit, { body })).status).toBe(201);
  const rule = { method: '*', path: '/ruled', class: 'read', limits: [{ name: 'streams', subject: 'user' }] };
  expect((await call(place.services, replaceRouteRules, { body: [rule] })).status).toBe(200);
});
afterAll(async () => {
  await server.stop();
  place[Symbol.dispose]();
});

const tokens = (subject: string, cost: number) => ({ limits: [{ name: 'tokens', subject, cost }] });
const streams = (subject: string) => ({ limits: [{ name: 'streams', subject }] });

describe('a reservation', () => {
  it('is settled once, whatever is used', async () => {
    const one = await sluice.reserve(tokens('a', 900));
    expect(one).toMatchObject({ allowed: true, answer: { limits: [{ remaining: 100 }] } });
    expect(await sluice.reserve(tokens('a', 200))).toMatchObject({ allowed: false, answer: { limit_name: 'tokens' } });
    expect(await Promise.all([one.settle({ tokens: 150 }), one.settle({ tokens: 999 })])).toEqual([true, true]);
    const two = await sluice.reserve(tokens('a', 800));
    expect(two.answer.limits).toMatchObject([{ remaining: 50 }]);
    expect(await two.settle({ tokens: 2_000 })).toBe(true);
    expect((await sluice.reserve(tokens('a', 1))).allowed).toBe(false);
  });

  it('frees its place, and is safe where there is nothing to settle', async () => {
    const first = await sluice.reserve(streams('b'));
    const second = await sluice.reserve(streams('b'));
    expect([first.allowed, second.allowed]).toEqual([true, false]);
    expect([await second.settle({ tokens: 1 }), await first.settle()]).toEqual([false, true]);
    expect((await sluice.reserve(streams('b'))).allowed).toBe(true);
    await call(place.services, addAllowlistEntry, { body: { type: 'user_id', identifier: 'vip', reason: 'x' } });
    const bypassed = await sluice.reserve({ ...streams('b'), user_id: 'vip' });
    expect(bypassed).toMatchObject({ allowed: true, answer: { status: 'bypassed' } });
    await bypassed.settle({ tokens: 1 });
    const down = await faultySluice((request) => void request.socket.destroy(), { onUnreachable: 'allow' });
    const unreachable = await down.sluice.reserve(streams('b'));
    expect([unreachable.allowed, await unreachable.settle({ streams: 1 })]).toEqual([true, false]);
  });

  it('reports a mistake, and does not throw it', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const reservation = await sluice.reserve(tokens('c', 1));
    expect(await reservation.settle({ streams: 1 })).toBe(false);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('costs.streams')]]);
  });
});

describe('sluice.settle', () => {
  it('settles by id or by the body of the operation, and throws typed errors', async () => {
    const ids = await Promise.all(
      ['d', 'e'].map(async (subject) => (await sluice.check({ ...tokens(subject, 900), settle: true })).id ?? ''),
    );
    expect(await sluice.settle(ids[0] ?? '', { tokens: 1 })).toEqual({ settled: true });
    expect(await sluice.settle({ id: ids[1] ?? '', costs: { tokens: 1 } })).toEqual({ settled: true });
    const failed: [string, object, string, number][] = [
      [ids[0] ?? '', {}, 'conflict', 409],
      ['nonsense', {}, 'not_found', 404],
      [ids[0] ?? '', { tokens: 1.5 }, 'invalid_request', 400],
    ];
    for (const [id, costs, code, status] of failed)
      await expect(sluice.settle(id, costs as never)).rejects.toMatchObject({ name: 'SluiceError', code, status });
  });

  it('is sent again until an answer arrives, and counts once', async () => {
    const answers = [null, 503, 409];
    const {
      sluice: lossy,
      clock,
      seen,
    } = await faultySluice((request, response) => {
      const status = answers.shift();
      if (status === null) return void request.socket.destroy();
      const error = status === 409 ? 'conflict' : 'service_unavailable';
      response.writeHead(status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    });
    const settled = lossy.settle('id', { tokens: 1 });
    for (const [sent, delay] of [
      [1, 250],
      [2, 1_000],
    ] as const) {
      // An attempt waits for its time limit, which is longer, before the pause begins.
      await untilPasses(() => expect([seen.requests, clock.dueIn]).toEqual([sent, delay]));
      clock.advance(delay);
    }
    expect(await settled).toEqual({ settled: true });
    expect(seen.requests).toBe(3);
  });

  it('gives up after four attempts', async () => {
    const {
      sluice: deaf,
      clock,
      events,
    } = await faultySluice(
      (request, response) => {
        if (request.url === '/v1/check') response.end(JSON.stringify({ allowed: true, id: 'id' }));
      },
      { afterInput: setImmediate },
    );
    const settled = (await deaf.reserve(tokens('f', 1))).settle();
    const done = vi.fn();
    settled.then(done);
    await untilPasses(() => {
      clock.advance(5_000);
      expect(done).toHaveBeenCalledWith(false);
    });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'unsettled', id: 'id' }));
    expect(events.find(({ kind }) => kind === 'unsettled')).toMatchObject({ error: { code: 'timeout' } });
  });
});

/** Applications whose answers never end by themselves at `/stream`, limited to one stream for each user. */
const LIMITS = [{ name: 'streams', subject: ({ headers }: { headers: unknown }) => readUser(headers) }];
const readUser = (headers: unknown) =>
  headers instanceof Headers ? headers.get('x-user') : String(Object(headers)['x-user']);
const OPTIONS = { class: false as const, limits: LIMITS };
const forever = () => new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('x')) });
const respond = (isStream: boolean) => new Response(isStream ? forever() : 'ok');

const applications: Record<string, () => Promise<{ url: string; stop(): unknown }>> = {
  async express() {
    const app = express().use(expressLimit(sluice, OPTIONS));
    app.get('/stream', (_, response) => void response.write('x'));
    app.get('/', (_, response) => void response.send('ok'));
    return serveNode(app);
  },
  async koa() {
    const app = new Koa().use(koaLimit(sluice, { ...OPTIONS, limits: LIMITS as never }));
    app.use((context) => {
      context.respond = context.path !== '/stream';
      if (context.respond) context.body = 'ok';
      else context.res.writeHead(200).write('x');
    });
    return serveNode(app.callback());
  },
  async fastify() {
    const app = fastify({ forceCloseConnections: true });
    app.addHook('onRequest', fastifyLimit(sluice, OPTIONS));
    app.get('/', async () => 'ok');
    app.get('/stream', (_, reply) => {
      reply.hijack();
      reply.raw.writeHead(200).write('x');
    });
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), stop: () => app.close() };
  },
  async hono() {
    const app = new Hono().use(
      honoLimit(sluice, { class: false, limits: [{ name: 'streams', subject: (c) => c.req.header('x-user') }] }),
    );
    app.get('/', () => respond(false));
    app.get('/stream', () => respond(true));
    return serveWeb((request) => app.fetch(request));
  },
  async fetch() {
    return serveWeb(fetchLimit<Request>(sluice, OPTIONS)(({ url }) => respond(url.endsWith('/stream'))));
  },
  async 'a route rule'() {
    const ruled = fetchLimit(sluice, { user: ({ headers }) => headers.get('x-user') });
    const handle = ruled((request: Request) => respond(request.headers.has('x-stream')));
    return serveWeb((request) => handle(new Request('http://app.test/ruled', { headers: mark(request) })));
  },
};
const mark = ({ url, headers }: Request) => {
  const marked = new Headers(headers);
  if (url.endsWith('/stream')) marked.set('x-stream', '1');
  return marked;
};

async function serveNode(listener: Parameters<typeof createServer>[1]) {
  const node = createServer(listener);
  return { url: `http://127.0.0.1:${await listen(node)}`, stop: () => close(node) };
}

describe.each(Object.keys(applications))('the adapter of %s', (name) => {
  it('frees places when an answer has ended, and when its client has left', async () => {
    const { url, stop } = (await applications[name]?.()) ?? { url: '', stop: () => undefined };
    onTestFinished(async () => void (await stop()));
    const headers = { 'x-user': name };
    const until = (status: number) =>
      untilPasses(async () => {
        const answer = await fetch(url, { headers });
        await answer.text();
        expect(answer.status).toBe(status);
      });
    await until(200);
    await until(200);
    const left = new AbortController();
    const stream = await untilPasses(async () => {
      const answer = await fetch(`${url}/stream`, { headers, signal: left.signal });
      expect(answer.status).toBe(200);
      return answer;
    });
    await stream.body?.getReader().read();
    expect((await fetch(url, { headers })).status).toBe(429);
    left.abort();
    await until(200);
  });
});
