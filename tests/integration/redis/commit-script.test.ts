import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READ_SCRIPT } from '@/lib/counters/redis/change-scripts';
import { COMMIT_SCRIPT } from '@/lib/counters/redis/commit-script';
import { decodeVerdicts, encodeGroup, readStoredWindow } from '@/lib/counters/redis/script-messages';
import { type Counter, emptyCounter, usedAt } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt } from '@/lib/limiter/meter';
import { slotAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';
import { histories, type Step } from '../../fixtures/random-groups';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { expectNoRoomBack } from '../../fixtures/stepping-clock';

const START = Date.UTC(2026, 10, 21, 12);

/** The script, word for word, but for the clock, which is the test's. */
const TIMED_SCRIPT = COMMIT_SCRIPT.replace("call('TIME')", 'cjson.decode(ARGV[7])');

describe.skipIf(redisIsMissing('integration/redis (script)'))('the script that decides a group', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server?.stop());

  async function decide(now: Millis, attempts: readonly Attempt[]) {
    const { keys, plan } = encodeGroup(attempts);
    const time = JSON.stringify([String(Math.floor(now / 1000)), String((now % 1000) * 1000 + 999)]);
    const args = [1, 1, '', 'test', 60_000, plan, time];
    const reply = await server.admin.callBuffer('EVAL', TIMED_SCRIPT, keys.length + 1, 'revision', ...keys, ...args);
    return decodeVerdicts(attempts, now, (reply as [number, Buffer])[1]);
  }

  async function stored(key: string) {
    const reply = await server.admin.eval(READ_SCRIPT, 1, key, 0, 0);
    return readStoredWindow((reply as unknown[])[1]);
  }

  async function follow(steps: readonly Step[]) {
    await server.admin.flushall();
    const counters = new Map<string, Counter>();
    const months = new Map<string, Counter>();
    let now = START;
    for (const { gap, attempts } of steps) {
      now += gap;
      for (const { key, window } of attempts.flatMap(({ meters }) => meters)) {
        // A month that comes again is still there in Redis; the judge sees one month at a time.
        const month = emptyCounter(window, now);
        if (month.kind === 'month') counters.set(key, months.get(`${key}${month.month}`) ?? month);
      }
      const expected = evaluateGroup(attempts, now, counters);
      expect(await decide(now, attempts)).toEqual(expected.verdicts);
      for (const [key, { counter, window }] of expected.changed) {
        counters.set(key, counter);
        if (counter.kind === 'month') months.set(key + counter.month, counter);
        else expect(usedAt(await stored(key), window, now)).toBe(usedAt(counter, window, now));
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

  it('opens no room when the clock steps back', async () => {
    await server.admin.flushall();
    await expectNoRoomBack(async (now, attempt) => (await decide(now, [attempt]))[0]!, START);
  });

  it('reads counters with slots ahead as an earlier version has written them', async () => {
    await server.admin.flushall();
    const slot = slotAt(START, 3600);
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
    expect(await stored('old')).toEqual({ kind: 'sliding', newest: slot, hits: [7, 0, 1] });
  });

  it('keeps thirteen months', async () => {
    await server.admin.flushall();
    const monthly: Attempt = { meters: [{ subject: 'quota', key: 'q', limit: 9, window: { kind: 'month' } }], cost: 1 };
    for (let month = 0; month < 20; month += 1) await decide(Date.UTC(2026, month, 15), [monthly]);
    const fields = (await server.admin.hkeys('q')).map(Number).sort((a, b) => a - b);
    expect(fields).toEqual(Array.from({ length: 13 }, (_, i) => 2026 * 12 + 7 + i));
  });

  it('takes the months as the calendar has them', async () => {
    const monthly: Attempt = { meters: [{ subject: 'quota', key: 'q', limit: 1, window: { kind: 'month' } }], cost: 1 };
    for (let month = 0; month < 12 * 9; month += 1) {
      await server.admin.flushall();
      const first = Date.UTC(2024, month, 1);
      const instants = [first - 1, first, Date.UTC(2024, month + 1, 1) - 1, Date.UTC(2024, month + 1, 1)];
      const admitted = [];
      for (const now of instants) admitted.push((await decide(now, [monthly]))[0]?.admitted);
      expect(admitted).toEqual([true, true, false, true]);
    }
  });
});
