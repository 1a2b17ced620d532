import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFetchExchange } from '@/client/exchange';
import { createNodeExchange } from '@/client/node-exchange';
import type { SluiceOptions } from '@/client/sluice';
import { type Behaviour, faultySluice } from '@/tests/fixtures/faulty-sluice';
import { freePort } from '@/tests/fixtures/free-port';
import { until } from '@/tests/fixtures/until';

const DECISION = { allowed: true, class: 'read', limit: 100, remaining: 99, reset: 0 };
const json =
  (body: unknown): Behaviour =>
  (_, response) =>
    void response.end(JSON.stringify(body));
const READ = { class: 'read', ip: '203.0.113.7' } as const;

describe.each([
  ['fetch', createFetchExchange],
  ['node:http', createNodeExchange],
])('over %s,', (_, exchange) => {
  const faulty = (behaviour: Behaviour, options: Partial<SluiceOptions> = {}) =>
    faultySluice(behaviour, { exchange, ...options });

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
      expect(clock.dueIn).toBeNull();
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

    it('is given up earlier the more wait for it, because answering them takes a while', async () => {
      const { sluice, clock, seen } = await faulty(() => undefined, { breaker: { failures: 1_000 } });
      const answered: number[] = [];
      const asked = Array.from({ length: 120 }, () => sluice.check(READ).then(() => answered.push(clock.now())));
      await until(() => seen.requests > 0);
      const begun = clock.now();
      clock.advance(229);
      await Promise.resolve();
      expect(answered).toEqual([]);
      clock.advance(1);
      await Promise.all(asked);
      expect(new Set(answered)).toEqual(new Set([begun + 230]));
      expect(clock.dueIn).toBeNull();
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

    it('is not asked again by many: five that it does not answer are enough', async () => {
      const { sluice, clock, seen, events } = await faulty(() => undefined);
      const asked = Promise.all(Array.from({ length: 50 }, () => sluice.check(READ)));
      await until(() => seen.requests === 1);
      clock.advance(200);
      const later = sluice.check(READ);
      await until(() => seen.requests === 2);
      clock.advance(50);
      expect((await asked).every(({ status }) => status === 'unreachable')).toBe(true);
      expect(await later).toMatchObject({ status: 'unreachable' });
      expect(await sluice.check(READ)).toMatchObject({ status: 'unreachable' });
      expect(events.flatMap((event) => (event.kind === 'breaker' ? [event.state] : []))).toEqual(['open']);
      await until(() => seen.closed === 2);
      expect(clock.dueIn).toBeNull();
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

    it('is killed while checks are under way', async () => {
      // Answers the first request and holds the others.
      const script = `let asked = 0;
        const server = require('node:http').createServer((request, response) => request.resume().on('end', () => {
          if (asked++ === 0) response.end('${JSON.stringify(DECISION)}');
          else console.log('holds');
        }));
        server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port));`;
      const server = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      onTestFinished(() => void server.kill('SIGKILL'));
      let output = '';
      server.stdout.on('data', (data) => {
        output += String(data);
      });
      await until(() => output.includes('port'));
      const url = `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}`;
      const { sluice, failures, clock } = await faulty(() => undefined, { url });
      expect(await sluice.check(READ)).toEqual(DECISION);
      const asked = Promise.all(Array.from({ length: 60 }, () => sluice.check(READ)));
      await until(() => output.includes('holds'));
      server.kill('SIGKILL');
      // No time passes: it is the connection that tells.
      const answers = await asked;
      expect(answers.filter(({ allowed }) => allowed).length).toBe(50);
      expect(answers.every(({ status }) => status === 'unreachable')).toBe(true);
      expect(await sluice.check(READ)).toMatchObject({ status: 'unreachable', allowed: false });
      expect(failures()).toEqual(['answered', 'unreachable', 'unreachable']);
      expect(clock.dueIn).toBeNull();
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
});
