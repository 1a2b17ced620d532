import { createServer, type RequestListener } from 'node:http';
import express from 'express';
import fastify, { type FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { NextRequest } from 'next/server';
import { describe, expect, test } from 'vitest';
import { limit as expressLimit } from '@/client/adapters/express';
import { limit as fastifyLimit } from '@/client/adapters/fastify';
import { limit as fetchLimit, forwardedFor } from '@/client/adapters/fetch';
import { limit as honoLimit } from '@/client/adapters/hono';
import { limit as koaLimit } from '@/client/adapters/koa';
import { limitRequest } from '@/client/adapters/limit-request';
import { limit as nextLimit } from '@/client/adapters/next';
import type { Check } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';

const ALLOWED: CheckAnswer = { allowed: true, class: 'read', limit: 9, remaining: 8, reset: 60 };
const QUOTA = { ...ALLOWED, quota: { limit: 1000, remaining: 7, reset: 99 } };
const BYPASSED: CheckAnswer = { ...ALLOWED, status: 'bypassed', limit: null, remaining: null, reset: null };

/** A client that gives one answer, and keeps what it was asked. */
function checker(answer: CheckAnswer = ALLOWED) {
  const asked: Check[] = [];
  const check = async (given: Check) => {
    asked.push(given);
    return answer;
  };
  return { sluice: { check }, asked };
}

const GET = { method: 'GET', target: '/api/x?secret=1', ip: '203.0.113.7', accept: null };

test('the adapters have the types that their frameworks take', async () => {
  const { sluice } = checker();
  express().use(
    expressLimit(sluice, { skip: (request) => request.path === '/', user: (request) => request.get('x-user') }),
  );
  new Koa().use(koaLimit(sluice, { user: (context) => context.get('x-user') }));
  new Hono().use(honoLimit(sluice, { ip: (context) => context.req.header('x-real-ip') }));
  const app = fastify();
  app.addHook('onRequest', fastifyLimit(sluice));
  app.get(
    '/',
    { preHandler: fastifyLimit(sluice, { user: (request: FastifyRequest) => request.id }) },
    async () => 'ok',
  );
  await app.close();
});

describe('a check', () => {
  const checkOf = async (options: Parameters<typeof limitRequest>[1], described = GET) => {
    const { sluice, asked } = checker();
    await limitRequest(sluice, options, {}, described);
    return asked[0];
  };

  test('names method, path and address, and leaves the class to the route rules', async () => {
    expect(await checkOf({})).toEqual({ method: 'GET', path: '/api/x', ip: '203.0.113.7' });
  });

  test.each([
    ['https://example.com/api?x#y', '/api'],
    ['*', '/'],
    ['', '/'],
    ['//double', '//double'],
  ])('has of the target %s the path %s', async (target, path) => {
    expect(await checkOf({}, { ...GET, target })).toMatchObject({ path });
  });

  test('is made as it is told', async () => {
    const options = {
      class: () => 'write' as const,
      cost: () => 5,
      ip: async () => 'fe80::1%eth0',
      user: async () => 'alice',
      apiKeyId: () => '7f9c24e8-3b1a-4d21-9a55-0c4b5e1f0a11',
      apiKey: () => 'sk_ignored',
    };
    expect(await checkOf(options)).toEqual({
      method: 'GET',
      path: '/api/x',
      class: 'write',
      cost: 5,
      ip: 'fe80::1',
      user_id: 'alice',
      api_key: '7f9c24e8-3b1a-4d21-9a55-0c4b5e1f0a11',
    });
  });

  test.each([null, undefined, ''])(
    'names nobody where an identity is %j, as Koa reads missing headers',
    async (none) => {
      const missing = () => none;
      const limits = [{ name: 'sms', subject: missing }];
      const options = { user: missing, apiKey: missing, apiKeyId: missing, limits };
      expect(await checkOf(options)).toEqual({ method: 'GET', path: '/api/x', ip: '203.0.113.7' });
      expect(await checkOf({ ...options, ip: missing })).toMatchObject({ ip: '192.0.0.8' });
      expect(await checkOf({ apiKey: () => 'sk_given', apiKeyId: missing })).toMatchObject({ api_key: 'sk_given' });
    },
  );

  test.each([7, 0, 7n])('names the number %s as a text', async (number) => {
    const id = () => number as unknown as string;
    const limits = [{ name: 'sms', subject: id }];
    expect(await checkOf({ user: id, limits })).toMatchObject({
      user_id: String(number),
      limits: [{ name: 'sms', subject: String(number) }],
    });
  });

  test('is not made for nobody, for a UUID as a secret, or where it is skipped', async () => {
    expect(await checkOf({ ip: false, user: () => null })).toBeUndefined();
    expect(await checkOf({ apiKey: () => '7F9C24E8-3B1A-4D21-9A55-0C4B5E1F0A11' })).toBeUndefined();
    expect(await checkOf({ skip: async () => true })).toBeUndefined();
  });
});

describe('an answer', () => {
  test('carries limit, quota and bypass in headers', async () => {
    const headersOf = async (answer: CheckAnswer, headers?: boolean | (() => boolean)) =>
      (await limitRequest(checker(answer).sluice, { headers }, {}, GET))?.headers;
    expect(await headersOf(QUOTA)).toEqual({
      'X-RateLimit-Limit': '9',
      'X-RateLimit-Remaining': '8',
      'X-RateLimit-Reset': '60',
      'X-Quota-Limit': '1000',
      'X-Quota-Remaining': '7',
      'X-Quota-Reset': '99',
    });
    expect(await headersOf(BYPASSED)).toEqual({ 'X-RateLimit-Status': 'bypassed' });
    expect(await headersOf(QUOTA, false)).toEqual({});
    expect(await headersOf(QUOTA, () => false)).toEqual({});
    expect(await headersOf(QUOTA, () => true)).toEqual(await headersOf(QUOTA, true));
  });

  test('that refuses has the body that it is given', async () => {
    const refused: CheckAnswer = { ...ALLOWED, allowed: false, error: 'quota_exceeded', retry_after: 3 };
    const body = (_: unknown, { error, retry_after }: CheckAnswer) => ({ code: error, seconds: retry_after });
    const limited = await limitRequest(checker(refused).sluice, { body, headers: false }, {}, GET);
    expect(limited?.refusal).toEqual({ status: 429, body: '{"code":"quota_exceeded","seconds":3}' });
    expect(limited?.headers).toMatchObject({ 'Retry-After': '3', 'Cache-Control': 'no-store' });
  });
});

describe('a handler of the web platform', () => {
  test('answers with headers, although its own cannot be changed', async () => {
    const handler = fetchLimit(checker().sluice, { ip: () => '::1' })(() => Response.redirect('https://example.com/'));
    const answer = await handler(new Request('http://app.test/'));
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([302, '9']);
  });

  test('gets everything that its runtime passes', async () => {
    const handler = fetchLimit(checker().sluice, { user: () => 'alice' })(
      (request: Request, more: { n: number }) => new Response(`${new URL(request.url).pathname} ${more.n}`),
    );
    expect(await (await handler(new Request('http://app.test/x'), { n: 7 })).text()).toBe('/x 7');
  });
});

describe('requests that do not count are given back once they are answered', () => {
  /** A client that remembers what was refunded, by whether it counts. */
  const refunding = (answer: Partial<CheckAnswer>) => {
    const refunded: string[] = [];
    const asked: Check[] = [];
    const check = async (given: Check) => {
      asked.push(given);
      return { ...ALLOWED, id: given.path ?? '', ...answer };
    };
    const refund = async ({ id }: { id: string }) => {
      refunded.push(id);
      throw new Error('Refunds are best effort.');
    };
    return { sluice: { check, refund }, refunded, asked };
  };
  const serve = async (listener: RequestListener, ask: (origin: string) => Promise<void>) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await ask(`http://127.0.0.1:${Object(server.address()).port}`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const askAll = async (origin: string) => {
    for (const path of ['/good', '/bad', '/broken']) await (await fetch(origin + path)).text();
  };
  const statusOf = (path: string) => (path === '/bad' ? 401 : 200);
  const FAILURES = { counts: 'failures', ip: () => '203.0.113.7' } as const;

  test('in Express', async () => {
    const { sluice, refunded, asked } = refunding({});
    const app = express().use(expressLimit(sluice, FAILURES));
    app.get('/broken', () => {
      throw new Error('broken');
    });
    app.use(((_request, _response) => _response.status(statusOf(_request.path)).send('x')) as express.RequestHandler);
    app.use(((_error, _request, response, _next) => response.status(500).end()) as express.ErrorRequestHandler);
    await serve(app, askAll);
    expect(asked.every(({ refundable }) => refundable === true)).toBe(true);
    expect(refunded).toEqual(['/good']);
  });

  test('in Fastify', async () => {
    const { sluice, refunded } = refunding({});
    const app = fastify();
    app.addHook('onRequest', fastifyLimit(sluice, FAILURES));
    app.get('/broken', async () => {
      throw new Error('broken');
    });
    app.get('/:name', async (request, reply) => reply.code(statusOf(request.url)).send('x'));
    await askAll(await app.listen({ port: 0, host: '127.0.0.1' }));
    await app.close();
    expect(refunded).toEqual(['/good']);
  });

  test('in Koa', async () => {
    const { sluice, refunded } = refunding({});
    const app = new Koa().on('error', () => undefined).use(koaLimit(sluice, FAILURES));
    app.use((context) => {
      if (context.path === '/broken') throw new Error('broken');
      context.status = statusOf(context.path);
    });
    await serve(app.callback(), askAll);
    expect(refunded).toEqual(['/good']);
  });

  test('in Hono', async () => {
    const { sluice, refunded } = refunding({});
    const app = new Hono().use(honoLimit(sluice, FAILURES));
    app.onError((_, context) => context.text('x', 500));
    app.get('/broken', () => {
      throw new Error('broken');
    });
    app.get('/:name', (context) => context.text('x', statusOf(context.req.path) as 200));
    for (const path of ['/good', '/bad', '/broken']) await app.request(path);
    expect(refunded).toEqual(['/good']);
  });

  test('around a handler, as the route rule or a function says', async () => {
    const respond = (request: Request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/broken') throw new Error('broken');
      return new Response('x', { status: statusOf(pathname) });
    };
    const refundedBy = async (answer: Partial<CheckAnswer>, options: object) => {
      const { sluice, refunded } = refunding(answer);
      const handler = fetchLimit(sluice, { ip: () => '203.0.113.7', ...options })(respond);
      for (const path of ['/good', '/bad', '/broken'])
        await Promise.resolve(handler(new Request(`http://app.test${path}`))).catch(() => undefined);
      return refunded;
    };
    expect(await refundedBy({ counts: 'failures' }, {})).toEqual(['/good']);
    expect(await refundedBy({ counts: 'successes' }, {})).toEqual(['/bad', '/broken']);
    expect(await refundedBy({ counts: 'successes' }, { counts: 'all' })).toEqual([]);
    expect(await refundedBy({}, { counts: (status: number) => status < 500 })).toEqual(['/broken']);
    expect(await refundedBy({ id: undefined, status: 'degraded' }, FAILURES)).toEqual([]);
    expect(await refundedBy({ allowed: false, error: 'rate_limit_exceeded' }, FAILURES)).toEqual([]);
  });
});

test('the proxy of Next lets a request pass with headers, and takes its own request', async () => {
  const { sluice, asked } = checker();
  const proxy = nextLimit<NextRequest>(sluice, { ip: (request) => request.cookies.get('ip')?.value });
  const answer = await proxy(new NextRequest('http://app.test/api/x', { headers: { cookie: 'ip=203.0.113.9' } }));
  expect([answer.headers.get('x-middleware-next'), answer.headers.get('x-ratelimit-remaining')]).toEqual(['1', '8']);
  expect(asked).toEqual([{ method: 'GET', path: '/api/x', ip: '203.0.113.9' }]);
});

test('an adapter that would count nobody is not made', () => {
  const nobody = {} as { ip: () => string };
  expect(() => fetchLimit(checker().sluice, nobody)).toThrow('whom it counts');
  expect(() => honoLimit(checker().sluice, nobody)).toThrow('whom it counts');
  expect(() => nextLimit(checker().sluice, nobody)).toThrow('whom it counts');
});

test.each([
  ['203.0.113.7', 1, '203.0.113.7'],
  ['1.1.1.1, 203.0.113.7', 1, '203.0.113.7'],
  ['1.1.1.1, 203.0.113.7 , 10.0.0.1', 2, '203.0.113.7'],
  ['203.0.113.7:4711', 1, '203.0.113.7'],
  ['[2001:db8::1]:4711', 1, '2001:db8::1'],
  ['2001:db8::1', 1, '2001:db8::1'],
  ['203.0.113.7', 2, undefined],
  ['', 1, undefined],
])('of X-Forwarded-For: %s, behind %i proxies, the client is %s', (header, proxies, client) => {
  expect(forwardedFor(proxies)({ headers: new Headers({ 'x-forwarded-for': header }) })).toBe(client);
});

test('a preflight is one on the web platform, too', async () => {
  const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' };
  const url = 'https://api.example/x';
  const adapters = {
    fetch: (sluice: Parameters<typeof fetchLimit>[0], request: Request) =>
      fetchLimit(sluice, { ip: () => '203.0.113.7' })(() => new Response('ok'))(request),
    next: (sluice: Parameters<typeof fetchLimit>[0], request: Request) =>
      nextLimit(sluice, { ip: () => '203.0.113.7' })(new NextRequest(request)),
    hono: async (sluice: Parameters<typeof fetchLimit>[0], request: Request) =>
      new Hono().use(honoLimit(sluice, { ip: () => '203.0.113.7' })).fetch(request),
  };
  for (const [name, call] of Object.entries(adapters)) {
    const { sluice, asked } = checker();
    await call(sluice, new Request(url, { method: 'OPTIONS', headers }));
    await call(sluice, new Request(url, { method: 'OPTIONS', headers: { Origin: 'https://app.example' } }));
    await call(sluice, new Request(url, { method: 'PUT', headers }));
    expect(
      asked.map(({ preflight }) => preflight),
      name,
    ).toEqual([true, undefined, undefined]);
  }
});
