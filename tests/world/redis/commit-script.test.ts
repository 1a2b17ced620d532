import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READ_SCRIPT } from '@/lib/counters/redis/change-scripts';
import { COMMIT_SCRIPT } from '@/lib/counters/redis/commit-script';
import { PREFIX } from '@/lib/counters/redis/keys';
import { decodeVerdicts, encodeGroup, readStoredWindow } from '@/lib/counters/redis/script-messages';
import { type Counter, countUsed, createEmptyCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { createMonths } from '@/lib/limiter/month-anchor';
import { createSliding } from '@/lib/limiter/sliding-counter';
import { computeSlot, computeStartOfMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';
import { histories, type Step } from '../../fixtures/random-groups';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { expectNoRoomBack } from '../../fixtures/stepping-clock';

const START = Date.UTC(2026, 10, 21, 12);

/** A script, word for word, but for the clock, which is the test's, after the arguments. */
const timed = (script: string) =>
  `local time = cjson.decode(table.remove(ARGV))\n${script.replace("local time = call('TIME')", '')}`;
/** The revision that the caller has seen. */
const HELD = '1 1 test';

describe.skipIf(redisIsMissing('integration/redis (script)'))('the script that decides a group', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server?.stop());

  /** The reply of the script: the decision, or what it replies when it touches nothing. */
  async function run(now: Millis, attempts: readonly Attempt[], clock = now): Promise<unknown> {
    const encoded = encodeGroup(attempts, clock);
    const { plan } = encoded;
    const names = ['revision', ...encoded.names.map((name) => name.slice(PREFIX.length))];
    const args = [HELD, plan, JSON.stringify([String(Math.floor(now / 1000)), String((now % 1000) * 1000 + 999)])];
    return server.admin.callBuffer('EVAL', timed(COMMIT_SCRIPT), names.length, ...names, ...args);
  }

  async function decide(now: Millis, attempts: readonly Attempt[]) {
    const reply = await run(now, attempts);
    if (!Buffer.isBuffer(reply)) throw new Error('The script has not decided.');
    const decided = decodeVerdicts(attempts, reply);
    expect(decided.now).toBe(now);
    return decided.verdicts;
  }

  async function clear(): Promise<void> {
    await server.admin.flushall();
    await server.admin.set('revision', HELD, 'PX', 60_000);
  }

  async function stored(key: string) {
    const reply = await server.admin.eval(READ_SCRIPT, 1, key, '');
    return readStoredWindow((reply as unknown[])[1]);
  }

  /** Follows a history with the script and the judge. */
  async function follow(steps: readonly Step[]) {
    await clear();
    const counters = new Map<string, Counter>();
    const months = new Map<string, Counter>();
    let now = START;
    for (const { gap, attempts } of steps) {
      now += gap;
      for (const { key, window } of attempts.flatMap(({ meters }) => meters)) {
        // A month that comes again is still there in Redis; the judge sees one month at a time.
        const month = createEmptyCounter(window, now);
        if (month.kind === 'month') counters.set(key, months.get(`${key}${month.month}`) ?? month);
      }
      const expected = evaluateGroup(attempts, now, counters);
      expect(await decide(now, attempts)).toEqual(expected.verdicts);
      for (const { key, counter, window } of expected.changed) {
        counters.set(key, counter);
        if (counter.kind === 'month') months.set(key + counter.month, counter);
        else expect(countUsed(await stored(key), window, now)).toBe(countUsed(counter, window, now));
      }
    }
    for (const key of await server.admin.keys('*')) expect(await server.admin.pttl(key)).toBeGreaterThan(0);
  }

  // Keys of the shortest windows expire by the server's own clock, which hardly moves while a history is followed.
  const lasts = ({ window }: { window: { kind: string; seconds?: number } }) =>
    window.kind === 'month' || (window.seconds ?? 0) > 1;
  const lasting = (options: Parameters<typeof histories>[0]) =>
    histories(options).map((steps) => {
      return steps.map(({ gap, attempts }) => ({
        gap,
        attempts: attempts.map(({ meters, cost }) => ({ cost, meters: meters.filter(lasts) })),
      }));
    });

  it('decides whatever the judge does', async () => {
    await fc.assert(fc.asyncProperty(lasting({ back: false }), follow), { numRuns: 300 });
  });

  it('decides whatever the judge does when the clock goes back', async () => {
    await fc.assert(fc.asyncProperty(lasting({ back: true }), follow), { numRuns: 300 });
  });

  it('decides whatever the judge does where sums are too large to be exact', async () => {
    await fc.assert(fc.asyncProperty(lasting({ back: true, large: true }), follow), { numRuns: 300 });
  });

  it('touches nothing when the caller has seen another revision, or is in another month', async () => {
    const ask = (key: string, window: Meter['window']): Attempt => ({
      meters: [{ subject: 'ip', key, limit: 9, window }],
      cost: 1,
    });
    const group = [ask('a', { kind: 'sliding', seconds: 60 }), ask('m', { kind: 'month' })];
    await server.admin.flushall();
    expect(await run(START, group)).toEqual([Buffer.from('')]);
    await server.admin.set('revision', '2 2 test');
    expect(await run(START, group)).toEqual([Buffer.from('2 2 test')]);
    await server.admin.set('revision', HELD);
    for (const days of [-31, 31]) expect(await run(START, group, START + days * 86_400_000)).toBe(START);
    expect(await server.admin.keys('*')).toEqual(['revision']);
    expect(Buffer.isBuffer(await run(START, group))).toBe(true);
  });

  it('decides more counters than one call of Lua takes arguments', async () => {
    await clear();
    const attempts = Array.from({ length: 9_000 }, (_, i): Attempt => {
      return {
        meters: [{ subject: 'ip', key: `k${i % 8_500}`, limit: 1, window: { kind: 'sliding', seconds: 3600 } }],
        cost: 1,
      };
    });
    const verdicts = await decide(START, attempts);
    expect(verdicts).toEqual(evaluateGroup(attempts, START, new Map()).verdicts);
  });

  it('writes the revision again where it counts nothing', async () => {
    await server.admin.flushall();
    await server.admin.set('revision', HELD);
    const none: Attempt = { meters: [{ subject: 'ip', key: 'n', limit: 0, window: { kind: 'month' } }], cost: 1 };
    expect((await decide(START, [none]))[0]?.admitted).toBe(false);
    expect(await server.admin.pttl('revision')).toBeGreaterThan(0);
    expect(await server.admin.keys('*')).toEqual(['revision']);
  });

  it('opens no room when the clock steps back', async () => {
    await clear();
    await expectNoRoomBack(async (now, attempt) => (await decide(now, [attempt]))[0]!, START);
  });

  it('reads counters with slots ahead as an earlier version has written them', async () => {
    await clear();
    const slot = computeSlot(START, 3600);
    const doubles = Buffer.alloc(24);
    // Newest 7 slots ahead, with 4 hits; -1: "the clock went back".
    for (const [i, value] of [4, slot + 7, -1].entries()) doubles.writeDoubleLE(value, i * 8);
    const older = Buffer.from(`${slot - 61}:9;${slot - 2}:1;${slot}:2;${slot + 3}:1;`);
    await server.admin.set('old', Buffer.concat([doubles, older]));
    const ask = (cost: number): Attempt => ({
      meters: [{ subject: 'ip', key: 'old', limit: 9, window: { kind: 'sliding', seconds: 3600 } }],
      cost,
    });
    expect((await decide(START, [ask(2)]))[0]).toMatchObject({ admitted: false, readings: [{ used: 8 }] });
    expect(await stored('old')).toEqual(createSliding(slot, [7, 0, 1]));
  });

  it('keeps thirteen months', async () => {
    await clear();
    const monthly: Attempt = { meters: [{ subject: 'quota', key: 'q', limit: 9, window: { kind: 'month' } }], cost: 1 };
    for (let month = 0; month < 20; month += 1) await decide(Date.UTC(2026, month, 15), [monthly]);
    const fields = (await server.admin.hkeys('q')).map(Number).sort((a, b) => a - b);
    expect(fields).toEqual(Array.from({ length: 13 }, (_, i) => 2026 * 12 + 7 + i));
  });

  it.each([1, 2, 15, 28, 29, 30, 31])('takes the months as the calendar has them, from day %s', async (day) => {
    const window = createMonths(day, 0);
    const monthly: Attempt = { meters: [{ subject: 'quota', key: 'q', limit: 1, window }], cost: 1 };
    for (let month = 0; month < 12 * 9; month += 1) {
      await clear();
      const first = computeStartOfMonth(2024 * 12 + month, window.anchor);
      const next = computeStartOfMonth(2024 * 12 + month + 1, window.anchor);
      const times = [first - 1, first, next - 1, next];
      const admitted = [];
      for (const now of times) admitted.push((await decide(now, [monthly]))[0]?.admitted);
      expect(admitted).toEqual([true, true, false, true]);
    }
  });
});
