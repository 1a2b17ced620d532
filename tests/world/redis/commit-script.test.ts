import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READ_SCRIPT } from '@/lib/counters/redis/change-scripts';
import { COMMIT_SCRIPT } from '@/lib/counters/redis/commit-script';
import {
  decodeShort,
  decodeVerdicts,
  encodeGroup,
  encodeShort,
  readStoredWindow,
} from '@/lib/counters/redis/script-messages';
import { SHORT_SCRIPT } from '@/lib/counters/redis/short-script';
import { type Counter, emptyCounter, usedAt } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { monthsFrom } from '@/lib/limiter/month-anchor';
import { slidingFromHits } from '@/lib/limiter/sliding-counter';
import { monthStart, slotAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';
import { histories, type Step } from '../../fixtures/random-groups';
import { RedisServer, redisIsMissing } from '../../fixtures/redis-server';
import { expectNoRoomBack } from '../../fixtures/stepping-clock';

const START = Date.UTC(2026, 10, 21, 12);

/** A script, word for word, but for the clock, which is the test's, after the arguments. */
const timed = (script: string) =>
  `local time = cjson.decode(table.remove(ARGV))\n${script.replace("local time = call('TIME')", '')}`;
/** What `decide` leaves in the revision's key. */
const HELD = '1 1 test';

describe.skipIf(redisIsMissing('integration/redis (script)'))('the script that decides a group', () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server?.stop());

  async function decide(now: Millis, attempts: readonly Attempt[]) {
    const { keys, plan } = encodeGroup(attempts);
    const args = [1, 1, '', 'test', 60_000, plan, time(now)];
    const reply = await server.admin.callBuffer(
      'EVAL',
      timed(COMMIT_SCRIPT),
      keys.length + 1,
      'revision',
      ...keys,
      ...args,
    );
    return decodeVerdicts(attempts, now, (reply as [number, Buffer])[1]);
  }

  function time(now: Millis): string {
    return JSON.stringify([String(Math.floor(now / 1000)), String((now % 1000) * 1000 + 999)]);
  }

  /** Decides by the short script; null where that leaves the group to the long one. */
  async function decideShort(now: Millis, attempts: readonly Attempt[], clock = now) {
    const encoded = encodeShort(attempts, clock);
    if (encoded === null) return null;
    const keys = ['revision', ...encoded.keys];
    const args = [HELD, encoded.plan, time(now)];
    const reply = await server.admin.callBuffer('EVAL', timed(SHORT_SCRIPT), keys.length, ...keys, ...args);
    return Buffer.isBuffer(reply) ? decodeShort(attempts, reply) : null;
  }

  async function stored(key: string) {
    const reply = await server.admin.eval(READ_SCRIPT, 1, key, '');
    return readStoredWindow((reply as unknown[])[1]);
  }

  /** By a short script where one can. */
  async function decideShortly(now: Millis, attempts: readonly Attempt[]) {
    const keys = [...new Set(attempts.flatMap(({ meters }) => meters.map(({ key }) => key)))];
    const dumps = () => Promise.all(keys.map((key) => server.admin.dump(key)));
    const before = await dumps();
    const short = await decideShort(now, attempts);
    if (short === null) expect(await dumps()).toEqual(before);
    else expect(short.now).toBe(now);
    groups[short === null ? 'left' : attempts.length > 1 ? 'several' : 'one'] += 1;
    return short?.verdicts ?? decide(now, attempts);
  }
  /** The same, one attempt after the other. */
  async function decideOneByOne(now: Millis, attempts: readonly Attempt[]) {
    const verdicts = [];
    for (const attempt of attempts) verdicts.push(...(await decideShortly(now, [attempt])));
    return verdicts;
  }
  const groups = { one: 0, several: 0, left: 0 };

  const follow = (steps: readonly Step[]) => followBy(decide, steps);
  const followShortly = (steps: readonly Step[]) => followBy(decideShortly, steps);
  const followOneByOne = (steps: readonly Step[]) => followBy(decideOneByOne, steps);
  async function followBy(decide: typeof decideOneByOne, steps: readonly Step[]) {
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
      for (const { key, counter, window } of expected.changed) {
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

  it('decides one attempt by itself as in a group', async () => {
    await fc.assert(fc.asyncProperty(lasting({ back: false }), followOneByOne), { numRuns: 150 });
    // Months that begin on a day of their own, about half of the attempts here, are left to the other script.
    expect(groups.one).toBeGreaterThan(groups.left / 2);
    await fc.assert(fc.asyncProperty(lasting({ back: true }), followOneByOne), { numRuns: 100 });
    await fc.assert(fc.asyncProperty(lasting({ back: true, large: true }), followOneByOne), { numRuns: 100 });
  });

  it('decides attempts about different counters as any others', async () => {
    /** Each attempt of a group about counters of its own. */
    const apart = (options: Parameters<typeof histories>[0]) =>
      lasting(options).map((steps) => {
        return steps.map(({ gap, attempts }) => ({
          gap,
          attempts: attempts.map(({ meters, cost }, at) => ({
            cost,
            meters: meters.map((meter) => ({ ...meter, key: `${at}${meter.key}` })),
          })),
        }));
      });
    await fc.assert(fc.asyncProperty(apart({ back: false }), followShortly), { numRuns: 200 });
    await fc.assert(fc.asyncProperty(apart({ back: true, large: true }), followShortly), { numRuns: 150 });
    expect(groups.several).toBeGreaterThan(50);
  });

  it('leaves one attempt to the other script, untouched, when something is not as it nearly always is', async () => {
    await server.admin.flushall();
    const ask = (key: string, window: Meter['window'], cost = 1): Attempt => ({
      meters: [{ subject: 'ip', key, limit: 9, window }],
      cost,
    });
    const minute = { kind: 'sliding', seconds: 60 } as const;
    const month = { kind: 'month' } as const;
    expect(await decideShort(START, [ask('a', minute)])).toBeNull();
    await server.admin.set('revision', '2 2 test');
    expect(await decideShort(START, [ask('a', minute)])).toBeNull();
    await server.admin.set('revision', HELD);
    expect(await decideShort(START, [ask('m', month)], START + 31 * 86_400_000)).toBeNull();
    expect(await decideShort(START, [ask('m', month)], START - 31 * 86_400_000)).toBeNull();
    expect(await server.admin.keys('*')).toEqual(['revision']);
    expect((await decideShort(START, [ask('a', minute, 2)]))?.verdicts[0]?.admitted).toBe(true);
    expect(await decideShort(START - 5_000, [ask('a', minute)])).toBeNull();
    expect(
      await decideShort(START, [{ meters: [...ask('a', minute).meters, ...ask('a', minute).meters], cost: 1 }]),
    ).toBeNull();
    // What it has counted, the other one knows.
    expect((await decide(START + 1_500, [ask('a', minute)]))[0]?.readings[0]?.used).toBe(3);
    expect((await decideShort(START + 1_500, [ask('a', minute)]))?.verdicts[0]?.readings[0]?.used).toBe(4);
  });

  it('writes the revision again where it counts nothing', async () => {
    await server.admin.flushall();
    await server.admin.set('revision', HELD);
    const none: Attempt = { meters: [{ subject: 'ip', key: 'n', limit: 0, window: { kind: 'month' } }], cost: 1 };
    expect((await decideShort(START, [none]))?.verdicts[0]?.admitted).toBe(false);
    expect(await server.admin.pttl('revision')).toBeGreaterThan(0);
    expect(await server.admin.keys('*')).toEqual(['revision']);
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
    expect(await stored('old')).toEqual(slidingFromHits(slot, [7, 0, 1]));
  });

  it('keeps thirteen months', async () => {
    await server.admin.flushall();
    const monthly: Attempt = { meters: [{ subject: 'quota', key: 'q', limit: 9, window: { kind: 'month' } }], cost: 1 };
    for (let month = 0; month < 20; month += 1) await decide(Date.UTC(2026, month, 15), [monthly]);
    const fields = (await server.admin.hkeys('q')).map(Number).sort((a, b) => a - b);
    expect(fields).toEqual(Array.from({ length: 13 }, (_, i) => 2026 * 12 + 7 + i));
  });

  it.each([1, 2, 15, 28, 29, 30, 31])('takes the months as the calendar has them, from day %s', async (day) => {
    const window = monthsFrom(day, 0);
    const monthly: Attempt = { meters: [{ subject: 'quota', key: 'q', limit: 1, window }], cost: 1 };
    for (let month = 0; month < 12 * 9; month += 1) {
      await server.admin.flushall();
      const first = monthStart(2024 * 12 + month, window.anchor);
      const next = monthStart(2024 * 12 + month + 1, window.anchor);
      const instants = [first - 1, first, next - 1, next];
      const admitted = [];
      for (const now of instants) admitted.push((await decide(now, [monthly]))[0]?.admitted);
      expect(admitted).toEqual([true, true, false, true]);
    }
  });
});
