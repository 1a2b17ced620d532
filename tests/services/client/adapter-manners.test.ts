import type { Server } from 'node:http';
import express5 from 'express';
import express4 from 'express4';
import fastify, { type FastifyRequest } from 'fastify';
import Koa from 'koa';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { limit as expressLimit } from '@/client/adapters/express';
import { limit as fastifyLimit } from '@/client/adapters/fastify';
import { limit as koaLimit } from '@/client/adapters/koa';
import type { LimitOptions } from '@/client/adapters/limit-request';
import { Sluice } from '@/client/sluice';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { close } from '@/tests/fixtures/listen';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';

/** What the requests of all frameworks have, and Koa's context. */
interface Asked {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  url: string;
}
type Options = LimitOptions<Asked>;

const POLICIES = {
  classes: {
    read: { ip: { limit: 3, window_seconds: 60 }, user: { limit: 2, window_seconds: 60 } },
    sensitive: { ip: { limit: 1, window_seconds: 60 } },
  },
};

let place: TestServices;
let server: Awaited<ReturnType<typeof decisionServer>>;
let sluice: Sluice;
beforeAll(async () => {
  place = await testServices({ SLUICE_POLICIES: JSON.stringify(POLICIES) });
  server = await decisionServer(place.services);
  sluice = new Sluice({ url: server.url, token: TEST_ADMIN_TOKEN, timeout: 60_000, onUnreachable: 'throw' });
});
// Every window is empty again.
beforeEach(() => place.clock.advance(7_200_000));
afterAll(async () => {
  await server.stop();
  place[Symbol.dispose]();
});

/** Serves `ok` at every path and method behind these limits; a fault is answered with 500 and its message. */
type Serve = (...limits: Options[]) => Promise<Server>;

const listening = (listener: { listen(port: number, host: string, done: () => void): Server }) =>
  new Promise<Server>((resolve) => {
    const started = listener.listen(0, '127.0.0.1', () => resolve(started));
  });

const onExpress =
  (express: typeof express5): Serve =>
  (...limits) => {
    const app = express().set('trust proxy', true);
    for (const options of limits) app.use(expressLimit<express5.Request>(sluice, options));
    app.use((_request, response) => void response.send('ok'));
    app.use((error: Error, _request: unknown, response: express5.Response, _next: unknown) => {
      response.status(500).send(error.message);
    });
    return listening(app);
  };

const FRAMEWORKS: Readonly<Record<string, Serve>> = {
  'Express 5': onExpress(express5),
  'Express 4': onExpress(express4),
  async Fastify(...limits) {
    const app = fastify({ trustProxy: true });
    for (const options of limits) app.addHook('onRequest', fastifyLimit<FastifyRequest>(sluice, options));
    app.all('/*', async () => 'ok');
    app.setErrorHandler((error: Error, _request, reply) => void reply.code(500).send(error.message));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  Koa(...limits) {
    const app = new Koa({ proxy: true }).on('error', () => undefined);
    app.use((context, next) =>
      next().catch((error: Error) => Object.assign(context, { status: 500, body: error.message })),
    );
    for (const options of limits) app.use(koaLimit<Koa.Context>(sluice, options));
    app.use((context) => {
      context.body = 'ok';
    });
    return listening(app);
  },
};

describe.each(Object.entries(FRAMEWORKS))('on %s', (_, serve) => {
  /** @returns sends requests to an application with these limits */
  const limited = async (...limits: Options[]) => {
    const app = await serve(...limits);
    onTestFinished(() => close(app));
    const address = app.address();
    const port = typeof address === 'object' ? address?.port : null;
    return (path = '/', init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  };
  const user = ({ headers }: Asked) => String(headers['x-user']);

  it.each(['203.0.113.50:51234', '[2001:db8::50]:51234', '2001:db8::50%eth0', 'unknown'])(
    'an address that a proxy writes as %s is counted',
    async (written) => {
      const send = await limited({});
      const answers = [1, 2, 3, 4].map((port) => written.replace('51234', `5123${port}`));
      const statuses: number[] = [];
      for (const address of answers)
        statuses.push((await send('/', { headers: { 'x-forwarded-for': address } })).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
    },
  );

  it('HEAD counts as GET does, and is refused without a body', async () => {
    const send = await limited({});
    const head = { method: 'HEAD' };
    const answers = [await send('/', head), await send(), await send('/', head), await send('/', head)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['2', '1', '0', '0']);
    expect(answers[3]?.headers.get('retry-after')).toBe('61');
    expect(await answers[3]?.text()).toBe('');
  });

  it('OPTIONS is counted, unless it is skipped', async () => {
    const options = { method: 'OPTIONS' };
    const counting = await limited({ class: 'sensitive' });
    expect([(await counting('/', options)).status, (await counting('/', options)).status]).toEqual([200, 429]);
    const skipping = await limited({ class: 'sensitive', skip: ({ method }) => method === 'OPTIONS' });
    const preflights = [await skipping('/', options), await skipping('/', options)];
    expect(preflights.map(({ status, headers }) => [status, headers.get('x-ratelimit-limit')])).toEqual([
      [200, null],
      [200, null],
    ]);
  });

  it('a CORS preflight counts nowhere', async () => {
    const send = await limited({ class: 'sensitive' });
    const headers = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' };
    for (let index = 0; index < 2; index += 1) {
      const answer = await send('/', { method: 'OPTIONS', headers });
      expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    }
    expect((await send('/', { method: 'OPTIONS' })).headers.get('x-ratelimit-remaining')).toBe('0');
  });

  it('several limits hold together; the headers are those of the last that was asked', async () => {
    const send = await limited({}, { ip: false, user, skip: ({ url }) => url === '/open' });
    const as = (name: string) => ({ headers: { 'x-user': name } });
    const first = await send('/', as('alice'));
    expect(first.headers.get('x-ratelimit-limit')).toBe('2');
    await send('/', as('alice'));
    const refusedByUser = await send('/', as('alice'));
    expect(refusedByUser.status).toBe(429);
    expect(await refusedByUser.json()).toMatchObject({ error: 'user_rate_limit_exceeded' });
    const refusedByAddress = await send('/open', as('bob'));
    expect(refusedByAddress.headers.get('x-ratelimit-limit')).toBe('3');
    expect(await refusedByAddress.json()).toEqual({
      error: 'rate_limit_exceeded',
      error_description: 'Too many requests from this address.',
    });
  });

  it('keys may be promises, and what they throw is the error of the request', async () => {
    const send = await limited({ ip: false, user: async (request) => user(request) });
    const as = (name: string) => ({ headers: { 'x-user': name } });
    const answers = await Promise.all(['carol', 'carol', 'carol', 'dave'].map((name) => send('/', as(name))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429]);
    const failing = await limited({
      user: () => {
        throw new Error('no session');
      },
    });
    const failed = await failing();
    expect([failed.status, await failed.text()]).toEqual([500, 'no session']);
  });
});
