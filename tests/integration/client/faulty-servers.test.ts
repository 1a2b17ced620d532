import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ClientEvent } from '@/client/client-event';
import { SluiceError } from '@/client/error';
import { fetchExchange } from '@/client/exchange';
import { nodeExchange } from '@/client/node-exchange';
import { Sluice, type SluiceOptions } from '@/client/sluice';
import { freePort } from '@/tests/fixtures/free-port';
import { close, listen } from '@/tests/fixtures/listen';
import { ManualClock } from '@/tests/fixtures/manual-clock';
import { until } from '@/tests/fixtures/until';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;
const DECISION = { allowed: true, class: 'read', limit: 100, remaining: 99, reset: 0 };
const json =
  (body: unknown): Behaviour =>
  (_, response) =>
    void response.end(JSON.stringify(body));
const READ = { class: 'read', ip: '203.0.113.7' } as const;

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of cleanUp.splice(0)) await stop();
});

/** A server that behaves as told, and a client of it whose time only the test moves. */
async function faultyServer(behaviour: Behaviour, options: Partial<SluiceOptions>) {
  const seen = { requests: 0, closed: 0 };
  const state = { behaviour };
  const server = createServer((request, response) => {
    seen.requests += 1;
    response.on('close', () => {
      seen.closed += 1;
    });
    request.resume().on('end', () => state.behaviour(request, response));
  });
  const port = await listen(server);
  cleanUp.push(() => close(server));
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 12));
  const events: ClientEvent[] = [];
  const url = `http://127.0.0.1:${port}`;
  const sluice = new Sluice({ url, token: 'token', clock, onEvent: (event) => events.push(event), ...options });
  const failures = () =>
    events.flatMap((event) => (event.kind === 'request' ? [event.error?.code ?? event.outcome] : []));
  return { sluice, clock, seen, state, events, failures };
}

describe.each([
  ['fetch', fetchExchange],
  ['node:http', nodeExchange],
])('over %s,', (_, exchange) => {
  const faulty = (behaviour: Behaviour, options: Partial<SluiceOptions> = {}) =>
    faultyServer(behaviour, { exchange, ...options });

  describe('a server that hangs', () => {
    it('is given up after the timeout, and the request is aborted', async () => {
      const { sluice, clock, seen, failures } = await faulty(() => undefined);
      const asked = sluice.check(READ);
      await until(() => seen.requests === 1);
      clock.advance(249);
      expect(failures()).toEqual([]);
      clock.advance(1);
      expect(await asked).toMatchObject({ allowed: true, status: 'unreachable', limit: 50, remaining: 49 });
      expect(failures()).toEqual(['timeout']);
      await until(() => seen.closed === 1);
      expect(clock.isWaitedFor).toBe(false);
    });

    it('changes nothing any more when it answers late', async () => {
      const responses: ServerResponse[] = [];
      const { sluice, clock, failures } = await faulty((_, response) => void responses.push(response));
      const asked = sluice.check(READ);
      await until(() => responses.length === 1);
      clock.advance(250);
      responses[0]?.end(JSON.stringify(DECISION));
      expect(await asked).toMatchObject({ status: 'unreachable' });
      expect(failures()).toEqual(['timeout']);
    });

    it('holds nobody longer who asked later, or waits for a request', async () => {
      const { sluice, clock, seen } = await faulty(() => undefined, { batch: { requests: 1 } });
      const answered: string[] = [];
      const ask = (name: string) => sluice.check(READ).then(() => answered.push(name));
      const first = ask('first');
      await until(() => seen.requests === 1);
      clock.advance(100);
      const second = ask('second');
      clock.advance(150);
      await first;
      expect(answered).toEqual(['first']);
      clock.advance(100);
      await second;
      expect(answered).toEqual(['first', 'second']);
    });

    it('stops being asked, and one check at a time finds out that it is back', async () => {
      const { sluice, clock, seen, state, events } = await faulty(() => undefined, {
        breaker: { failures: 2, cooldown: 500 },
      });
      for (const requests of [1, 2]) {
        const asked = sluice.check(READ);
        await until(() => seen.requests === requests);
        clock.advance(250);
        await asked;
      }
      const many = await Promise.all(Array.from({ length: 100 }, () => sluice.check(READ)));
      expect(many.every(({ status }) => status === 'unreachable')).toBe(true);
      expect(seen.requests).toBe(2);
      clock.advance(500);
      state.behaviour = json(DECISION);
      const [probe, ...others] = await Promise.all(Array.from({ length: 10 }, () => sluice.check(READ)));
      expect(probe).toEqual(DECISION);
      expect(others.every(({ status }) => status === 'unreachable')).toBe(true);
      expect(await sluice.check(READ)).toEqual(DECISION);
      expect(events.flatMap((event) => (event.kind === 'breaker' ? [event.state] : []))).toEqual([
        'open',
        'half-open',
        'closed',
      ]);
    });

    it('lets go those who wait for a request when it stops being asked', async () => {
      const { sluice, clock, seen } = await faulty(() => undefined, {
        batch: { requests: 1, size: 1 },
        breaker: { failures: 1 },
      });
      const first = sluice.check(READ);
      await until(() => seen.requests === 1);
      clock.advance(200);
      const second = sluice.check(READ);
      clock.advance(50);
      expect(await Promise.all([first, second])).toMatchObject([{ status: 'unreachable' }, { status: 'unreachable' }]);
      expect(seen.requests).toBe(1);
    });
  });

  describe('a check is answered without an exception when the server', () => {
    const cut: Behaviour = (request) => void request.socket.destroy();
    const cutInBody: Behaviour = (request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"allowed":', () => request.socket.destroy());
    };
    const status =
      (code: number, body = ''): Behaviour =>
      (_, response) =>
        void response.writeHead(code, { 'content-type': 'text/html' }).end(body);
    const cases: [string, Behaviour, string][] = [
      ['closes the connection', cut, 'unreachable'],
      ['closes it within the body', cutInBody, 'unreachable'],
      ['answers no JSON', (_, response) => void response.end('<h1>Hello</h1>'), 'unexpected_answer'],
      ['answers nothing', (_, response) => void response.end(), 'unexpected_answer'],
      ['answers other JSON', json({ hello: 'world' }), 'unexpected_answer'],
      ['answers null', json(null), 'unexpected_answer'],
      ['answers a list for one', json([DECISION]), 'unexpected_answer'],
      ['answers 500', status(500), 'unexpected_answer'],
      ['answers 502 with a page', status(502, '<html>'), 'unexpected_answer'],
      ['answers 400 with a page', status(400, '<html>'), 'unexpected_answer'],
      ['answers 404', status(404, '{"error":7}'), 'unexpected_answer'],
      ['answers 503', status(503, '{"error":"service_unavailable"}'), 'service_unavailable'],
      ['answers 429', status(429, '{"error":"rate_limit_exceeded","details":7}'), 'rate_limit_exceeded'],
      [
        'redirects',
        (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
        'unexpected_answer',
      ],
    ];

    it.each(cases)('%s', async (_, behaviour, code) => {
      const { sluice, failures } = await faulty(behaviour);
      expect(await sluice.check(READ)).toMatchObject({ allowed: true, status: 'unreachable', limit: 50 });
      expect(await sluice.check({ class: 'auth', ip: '203.0.113.7' })).toMatchObject({
        allowed: false,
        status: 'unreachable',
        error: 'service_unavailable',
        retry_after: 1,
      });
      expect(failures()).toEqual([code, code]);
    });

    it('answers fewer decisions than were asked for', async () => {
      const { sluice, failures } = await faulty(json([DECISION]));
      const answers = await Promise.all([sluice.check(READ), sluice.check(READ)]);
      expect(answers).toMatchObject([{ remaining: 49 }, { remaining: 48 }]);
      expect(failures()).toEqual(['unexpected_answer']);
    });

    it('does not listen', async () => {
      const { sluice, failures } = await faulty(() => undefined, { url: `http://127.0.0.1:${await freePort()}` });
      expect(await sluice.check(READ)).toMatchObject({ allowed: true, status: 'unreachable' });
      expect(failures()).toEqual(['unreachable']);
    });

    it('refuses the size of every body', async () => {
      const { sluice, seen } = await faulty((_, response) => void response.writeHead(413).end());
      const answers = await Promise.all([1, 2, 3, 4].map(() => sluice.check(READ)));
      expect(answers.map(({ allowed, error }) => [allowed, error])).toEqual(
        Array(4).fill([false, 'payload_too_large']),
      );
      expect(seen.requests).toBe(7);
    });
  });

  describe('what answers instead', () => {
    const asked = async (onUnreachable: SluiceOptions['onUnreachable'], name: 'auth' | 'read' = 'read') => {
      const { sluice } = await faulty((request) => void request.socket.destroy(), { onUnreachable });
      return sluice.check({ class: name, ip: '203.0.113.7' });
    };

    it('can be told for all, by class and by check', async () => {
      expect(await asked('allow')).toMatchObject({ allowed: true, limit: null });
      expect(await asked('deny')).toMatchObject({ allowed: false });
      expect(await asked({ read: 'deny' })).toMatchObject({ allowed: false });
      expect(await asked({ read: 'deny' }, 'auth')).toMatchObject({ allowed: false });
      expect(await asked({ auth: 'allow' }, 'auth')).toMatchObject({ allowed: true });
      expect(await asked(({ class: name }) => (name === 'read' ? 'allow' : 'deny'))).toMatchObject({ allowed: true });
      const own = { ...DECISION, class: 'read' as const, remaining: 7 };
      expect(await asked(() => own)).toEqual(own);
    });

    it('is an exception only where it is asked for', async () => {
      const error = await asked('throw').catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SluiceError);
      expect(error).toMatchObject({ code: 'unreachable', status: 0, requestId: null });
      await expect(asked({ read: 'throw' })).rejects.toMatchObject({ code: 'unreachable' });
    });

    it('takes half of the limits that it is given', async () => {
      const limit = { limit: 3, window_seconds: 60 };
      const none = { ip: limit, user: limit };
      const classes = { auth: none, sensitive: none, read: none, write: none, lab: none };
      const policies = { classes, clients: { public: limit, confidential: limit } };
      const { sluice } = await faulty((request) => void request.socket.destroy(), { policies });
      const answers = [await sluice.check(READ), await sluice.check(READ)];
      expect(answers.map(({ allowed }) => allowed)).toEqual([true, false]);
    });
  });

  describe('a check that its caller takes back', () => {
    it('rejects with the reason, and aborts the request that only it waited for', async () => {
      const { sluice, seen, failures } = await faulty(() => undefined);
      const controller = new AbortController();
      const asked = sluice.check(READ, { signal: controller.signal });
      await until(() => seen.requests === 1);
      controller.abort(new Error('gone'));
      await expect(asked).rejects.toThrow('gone');
      await until(() => seen.closed === 1);
      expect(failures()).toEqual(['given_up']);
    });

    it('leaves the others their request', async () => {
      const responses: ServerResponse[] = [];
      const { sluice, seen } = await faulty((_, response) => void responses.push(response));
      const controller = new AbortController();
      const taken = sluice.check(READ, { signal: controller.signal });
      const kept = sluice.check(READ);
      await until(() => seen.requests === 1);
      controller.abort();
      await expect(taken).rejects.toThrow();
      responses[0]?.end(JSON.stringify([DECISION, DECISION]));
      expect(await kept).toEqual(DECISION);
    });

    it('is not asked when it was taken back before', async () => {
      const { sluice, seen } = await faulty(json(DECISION));
      await expect(sluice.check(READ, { signal: AbortSignal.abort() })).rejects.toThrow();
      const controller = new AbortController();
      const asked = sluice.check(READ, { signal: controller.signal });
      controller.abort();
      await expect(asked).rejects.toThrow();
      expect(await sluice.check(READ)).toEqual(DECISION);
      expect(seen.requests).toBe(1);
    });
  });

  describe('metrics', () => {
    it('that throw decide nothing', async () => {
      const onEvent = () => {
        throw new Error('metrics');
      };
      const { sluice } = await faulty((request) => void request.socket.destroy(), { onEvent });
      expect(await sluice.check(READ)).toMatchObject({ allowed: true });
    });

    it('are not there: a token that is refused is told once', async () => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      const { sluice } = await faulty((_, response) => void response.writeHead(401).end(), { onEvent: undefined });
      await sluice.check(READ);
      await sluice.check(READ);
      expect(warn).toHaveBeenCalledOnce();
      warn.mockRestore();
    });
  });

  it('a client that cannot work is not made', () => {
    const make = (options: Partial<SluiceOptions>) => () =>
      new Sluice({ url: 'http://sluice.test', token: 't', ...options });
    expect(make({ url: 'sluice.test' })).toThrow('`url`');
    expect(make({ token: undefined })).toThrow('`token`');
    expect(make({ timeout: 0 })).toThrow('`timeout`');
    expect(make({ batch: { size: 1_001 } })).toThrow('`batch.size`');
    expect(make({ batch: { requests: 0 } })).toThrow('`batch.requests`');
  });

  it('a client that is logged does not show its token', () => {
    const sluice = new Sluice({ url: 'http://sluice.test', token: 'a-token-of-some-length' });
    expect(inspect(sluice, { depth: 9, showHidden: true }) + JSON.stringify(sluice)).not.toContain(
      'a-token-of-some-length',
    );
  });
});
