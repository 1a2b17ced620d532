import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Counter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Meter, Window } from '@/lib/limiter/meter';
import { createSliding, listHits } from '@/lib/limiter/sliding-counter';
import { computeSlot } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';
import { runs } from '@/tests/fixtures/runs';
import { LONGEST_WAIT, stepBack } from '../../fixtures/stepping-clock';

const START = Date.UTC(2026, 10, 20, 12);

/** The counters of a store that keeps everything, and the judge over it. */
class Ledger {
  readonly counters = new Map<string, Counter>();

  decide(now: Millis, ...attempts: Attempt[]) {
    const { verdicts, changed } = evaluateGroup(attempts, now, this.counters);
    for (const { key, counter } of changed) this.counters.set(key, counter);
    return verdicts;
  }
}

function meter(limit: number, seconds: number, over: Partial<Meter> = {}): Meter {
  return { subject: 'ip', key: `ip|10.0.0.1|read|${seconds}`, limit, window: { kind: 'sliding', seconds }, ...over };
}

const MONTH: Window = { kind: 'month' };
const quota = (limit: number, over: Partial<Meter> = {}): Meter => ({
  subject: 'quota',
  key: 'quota|k|month',
  limit,
  window: MONTH,
  ...over,
});

/** The largest sum of costs in any closed interval of the length. */
function busiest(events: readonly { at: Millis; cost: number }[], length: Millis): number {
  let worst = 0;
  let first = 0;
  let sum = 0;
  for (const { at, cost } of events) {
    sum += cost;
    while ((events[first]?.at ?? at) < at - length) sum -= events[first++]?.cost ?? 0;
    worst = Math.max(worst, sum);
  }
  return worst;
}

describe('a sliding window', () => {
  const schedule = fc.record({
    seconds: fc.constantFrom(1, 2, 7, 60, 61, 3600),
    limit: fc.integer({ min: 1, max: 12 }),
    offset: fc.integer({ min: 0, max: 3_600_000 }),
    // Steps that like the edges: of a slot, of the window, and a millisecond to either side.
    steps: fc.array(
      fc.record({
        gap: fc.oneof(
          fc.constantFrom(0, 0, 1 / 60, 59 / 60, 1, 61 / 60, 0.5),
          fc.double({ min: 0, max: 1.2, noNaN: true }),
        ),
        nudge: fc.integer({ min: -1, max: 1 }),
        burst: fc.integer({ min: 1, max: 15 }),
        cost: fc.integer({ min: 1, max: 4 }),
      }),
      { minLength: 1, maxLength: 25 },
    ),
  });

  it('never admits more than the limit in any interval of its length', () => {
    fc.assert(
      fc.property(schedule, ({ seconds, limit, offset, steps }) => {
        const ledger = new Ledger();
        const events: { at: Millis; cost: number }[] = [];
        let now = START + offset;
        for (const step of steps) {
          now = Math.max(now, now + Math.round(step.gap * seconds * 1000) + step.nudge);
          const attempts = Array.from({ length: step.burst }, () => ({
            meters: [meter(limit, seconds)],
            cost: step.cost,
          }));
          for (const verdict of ledger.decide(now, ...attempts)) {
            if (verdict.admitted) events.push({ at: now, cost: step.cost });
          }
        }
        expect(busiest(events, seconds * 1000)).toBeLessThanOrEqual(limit);
      }),
      runs(3000),
    );
  });

  it('gives the whole limit back one window and at most one slot later', () => {
    fc.assert(
      fc.property(schedule, ({ seconds, limit, offset }) => {
        const ledger = new Ledger();
        const now = START + offset;
        const attempt = { meters: [meter(limit, seconds)], cost: 1 };
        for (let i = 0; i < limit; i++) expect(ledger.decide(now, attempt)[0]?.admitted).toBe(true);
        expect(ledger.decide(now + seconds * 1000, attempt)[0]?.admitted).toBe(false);
        const later = now + seconds * 1000 + Math.ceil((seconds * 1000) / 60) + 1;
        expect(ledger.decide(later, { ...attempt, cost: limit })[0]?.admitted).toBe(true);
      }),
    );
  });

  const direction = fc.constantFrom<(1 | -1)[]>([1], [1, -1], [1, 1, -1], [-1]);

  it('says to the millisecond when a refused request would fit, and when the limit is whole again', () => {
    fc.assert(
      fc.property(schedule, direction, ({ seconds, limit, offset, steps }, directions) => {
        const ledger = new Ledger();
        let now = START + offset;
        for (const [i, step] of steps.entries()) {
          const gap = Math.max(0, Math.round(step.gap * seconds * 1000) + step.nudge);
          now += gap * (directions[i % directions.length] ?? 1);
          const attempt = { meters: [meter(limit, seconds)], cost: step.cost };
          const [verdict] = ledger.decide(now, attempt);
          const reading = verdict?.readings[0];
          if (!verdict || !reading) throw new Error('no verdict');
          expect(reading.remaining).toBe(limit - reading.used);
          expect(reading.reset - now).toBeLessThanOrEqual((seconds * 1000 * 61) / 60 + 1);
          const wholeAt = (at: Millis) =>
            evaluateGroup([{ meters: [meter(limit, seconds)], cost: limit }], at, ledger.counters);
          if (reading.used > 0) {
            expect(wholeAt(reading.reset).verdicts[0]?.admitted).toBe(true);
            expect(wholeAt(reading.reset - 1).verdicts[0]?.admitted).toBe(false);
          } else expect(reading.reset).toBe(now);
          if (verdict.admitted) expect(reading.retryAt).toBeNull();
          else if (step.cost > limit) expect(reading.retryAt).toBe(Number.POSITIVE_INFINITY);
          else {
            const retryAt = reading.retryAt ?? 0;
            expect(retryAt).toBeGreaterThan(now);
            expect(evaluateGroup([attempt], retryAt, ledger.counters).verdicts[0]?.admitted).toBe(true);
            expect(evaluateGroup([attempt], retryAt - 1, ledger.counters).verdicts[0]?.admitted).toBe(false);
          }
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('keeps a counter of at most 61 slots, all of which it can see', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -200_000, max: 200_000 }), { maxLength: 60 }), (jumps) => {
        const ledger = new Ledger();
        let now = START;
        for (const jump of jumps) {
          now += jump;
          ledger.decide(now, { meters: [meter(1000, 60)], cost: 1 });
          const counter = ledger.counters.get('ip|10.0.0.1|read|60');
          if (counter?.kind !== 'sliding') throw new Error('no counter');
          const slot = computeSlot(now, 60);
          expect(counter.older.length + 1).toBeLessThanOrEqual(61);
          expect(listHits(counter).at(-1)).toBeGreaterThan(0);
          expect(counter.newest).toBe(slot);
        }
      }),
    );
  });
});

describe('a clock that steps back', () => {
  const stepping = (steps: number, step: Millis) => {
    const ledger = new Ledger();
    return stepBack(async (now, attempt) => ledger.decide(now, attempt)[0]!, START, steps, step);
  };

  it.each([
    [40, 1_100],
    [1, 1],
    [1, 1_000],
    [1, 30_000],
    [1, 59_999],
    [1, 60_000],
    [200, 1_100],
    [5, 60_000],
  ])(
    '%i times by %i ms opens no room, and tells a wait that is right and no longer than a window',
    async (steps, step) => {
      const { admitted, longestWait, inTime } = await stepping(steps, step);
      expect(admitted).toBe(10);
      expect(longestWait).toBeLessThanOrEqual(LONGEST_WAIT);
      expect(inTime).toBe(true);
    },
  );

  it.each([61_001, 3_600_000, 86_400_000])('by %i ms opens the room of one window', async (step) => {
    const { admitted, longestWait, inTime } = await stepping(1, step);
    expect(admitted).toBe(20);
    expect(longestWait).toBeLessThanOrEqual(LONGEST_WAIT);
    expect(inTime).toBe(true);
  });

  it('never admits more than the limit in any interval of a window, by a clock that runs true', () => {
    const step = fc.record({
      gap: fc.double({ min: 0, max: 1.2, noNaN: true }),
      back: fc.oneof(fc.constantFrom(0, 0, 0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
      cost: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(1, 7, 60, 3600),
        fc.integer({ min: 1, max: 12 }),
        fc.array(step, { minLength: 2, maxLength: 60 }),
        (seconds, limit, steps) => {
          const ledger = new Ledger();
          const events: { at: Millis; cost: number }[] = [];
          let real = 0;
          let clock = START;
          for (const { gap, back, cost } of steps) {
            const passed = Math.round(gap * seconds * 1000);
            real += passed;
            // Since it was looked at last, it has lost at most a window.
            clock += passed - Math.round(back * seconds * 1000);
            const [verdict] = ledger.decide(clock, { meters: [meter(limit, seconds)], cost });
            if (verdict?.admitted) events.push({ at: real, cost });
          }
          expect(busiest(events, seconds * 1000)).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('counts what was counted ahead as counted now, also for those who only ask', () => {
    const ledger = new Ledger();
    ledger.decide(START, { meters: [meter(10, 60)], cost: 4 });
    const [reading] = ledger.decide(START - 30_000, { meters: [meter(10, 60)], cost: 0 })[0]?.readings ?? [];
    expect(reading).toMatchObject({ used: 4, reset: START - 30_000 + 61_000 });
    expect(ledger.counters.get(meter(10, 60).key)).toEqual(createSliding(computeSlot(START - 30_000, 60), [4]));
  });

  it('leaves a counter that lies further ahead than a window as it is until it is used', () => {
    const ledger = new Ledger();
    ledger.decide(START, { meters: [meter(10, 60)], cost: 4 });
    const before = structuredClone(ledger.counters);
    expect(ledger.decide(START - 61_000, { meters: [meter(10, 60)], cost: 0 })[0]?.readings[0]).toMatchObject({
      used: 0,
      reset: START - 61_000,
    });
    expect(ledger.counters).toEqual(before);
    ledger.decide(START - 61_000, { meters: [meter(10, 60)], cost: 1 });
    expect(ledger.counters.get(meter(10, 60).key)).toEqual(createSliding(computeSlot(START - 61_000, 60), [1]));
  });
});

describe('a clock that jumps', () => {
  it.each([-3_600_000, -61_000, -60_000, -59_000, -30_000, -1000, -1])(
    'by %i ms lets one window more through at most',
    (jump) => {
      const ledger = new Ledger();
      const limit = 10;
      const admitted = (from: Millis, until: Millis) => {
        let count = 0;
        for (let t = from; t <= until; t += 500) {
          const [verdict] = ledger.decide(t, { meters: [meter(limit, 60)], cost: 1 });
          if (verdict?.admitted) count++;
          const retryAt = verdict?.readings[0]?.retryAt ?? t;
          expect(retryAt - t).toBeLessThanOrEqual(61_000);
          expect(verdict?.readings[0]?.remaining).toBeGreaterThanOrEqual(0);
        }
        return count;
      };
      expect(admitted(START, START + 30_000)).toBe(limit);
      expect(admitted(START + 30_000 + jump, START + 80_000 + jump)).toBeLessThanOrEqual(limit);
    },
  );

  it('a day ahead and back again lets one window more through at most', () => {
    const ledger = new Ledger();
    const burst = (t: Millis) =>
      ledger
        .decide(t, ...Array.from({ length: 20 }, () => ({ meters: [meter(10, 60)], cost: 1 })))
        .filter((v) => v.admitted).length;
    expect(burst(START)).toBe(10);
    expect(burst(START + 86_400_000)).toBe(10);
    expect(burst(START + 1000)).toBeLessThanOrEqual(10);
    expect(burst(START + 2000)).toBe(0);
  });
});

describe('a month', () => {
  it('ends at midnight UTC of its last day', () => {
    const ledger = new Ledger();
    const end = Date.UTC(2028, 2, 1);
    const [first] = ledger.decide(end - 1, { meters: [quota(5)], cost: 5 });
    expect(first).toEqual({
      admitted: true,
      readings: [{ limit: 5, used: 5, remaining: 0, reset: end, retryAt: null }],
    });
    const [second] = ledger.decide(end - 1, { meters: [quota(5)], cost: 1 });
    expect(second).toEqual({
      admitted: false,
      readings: [{ limit: 5, used: 5, remaining: 0, reset: end, retryAt: end }],
    });
    const [third] = ledger.decide(end, { meters: [quota(5)], cost: 1 });
    expect(third?.readings[0]).toMatchObject({ used: 1, remaining: 4, reset: Date.UTC(2028, 3, 1) });
  });

  it('takes off what was forgiven', () => {
    const ledger = new Ledger();
    ledger.counters.set('quota|k|month', { kind: 'month', month: 2026 * 12 + 10, hits: 12, floor: 10 });
    expect(ledger.decide(START, { meters: [quota(5)], cost: 3 })[0]).toMatchObject({
      admitted: true,
      readings: [{ used: 5 }],
    });
    expect(ledger.counters.get('quota|k|month')).toMatchObject({ hits: 15, floor: 10 });
  });

  it('counts exactly up to 2^53 - 1 and then stands still', () => {
    const ledger = new Ledger();
    const top = Number.MAX_SAFE_INTEGER;
    ledger.counters.set('quota|k|month', { kind: 'month', month: 2026 * 12 + 10, hits: top - 2, floor: 0 });
    expect(ledger.decide(START, { meters: [quota(top)], cost: 2 })[0]?.readings[0]).toMatchObject({
      used: top,
      remaining: 0,
    });
    expect(ledger.decide(START, { meters: [quota(top)], cost: 1 })[0]?.admitted).toBe(false);
    ledger.decide(START, { meters: [quota(1, { unlimited: true })], cost: 5 });
    expect(ledger.counters.get('quota|k|month')).toMatchObject({ hits: top });
  });
});

describe('costs of meters', () => {
  const meters = fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      limit: fc.integer({ min: 0, max: 20 }),
      unlimited: fc.boolean(),
      cost: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
    }),
    { maxLength: 5 },
  );
  const group = fc.array(fc.record({ meters, cost: fc.integer({ min: 0, max: 4 }) }), { maxLength: 30 });

  it('apply to their counters, the largest where a key has several', () => {
    fc.assert(
      fc.property(group, (attempts) => {
        const used = new Map<string, number>();
        const { verdicts } = evaluateGroup(
          attempts.map(({ meters, cost }) => ({
            meters: meters.map(({ cost: own, ...m }) =>
              meter(m.limit, 60, own === undefined ? m : { ...m, cost: own }),
            ),
            cost,
          })),
          START,
          new Map(),
        );
        for (const [i, { meters, cost }] of attempts.entries()) {
          const costOf = (key: string) =>
            Math.max(...meters.filter((m) => m.key === key).map(({ cost: own = cost }) => own));
          const fits = meters.map(
            (m) => m.unlimited || costOf(m.key) === 0 || (used.get(m.key) ?? 0) + costOf(m.key) <= m.limit,
          );
          const admitted = fits.every(Boolean);
          expect(verdicts[i]?.admitted).toBe(admitted);
          expect(verdicts[i]?.readings.map(({ retryAt }) => retryAt === null)).toEqual(fits);
          if (admitted)
            for (const key of new Set(meters.map((m) => m.key))) used.set(key, (used.get(key) ?? 0) + costOf(key));
          expect(verdicts[i]?.readings.map((r) => r.used)).toEqual(meters.map((m) => used.get(m.key) ?? 0));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('of %d are a mistake', (cost) => {
    expect(() => evaluateGroup([{ meters: [meter(1, 60, { cost })], cost: 1 }], START, new Map())).toThrow(RangeError);
  });
});

describe('an attempt', () => {
  const meters = fc.uniqueArray(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      limit: fc.integer({ min: 0, max: 8 }),
      unlimited: fc.boolean(),
    }),
    { selector: (m) => m.key, maxLength: 4 },
  );
  const group = fc.array(
    fc.record({ meters, cost: fc.integer({ min: 0, max: 4 }), gap: fc.integer({ min: 0, max: 30_000 }) }),
    {
      maxLength: 40,
    },
  );

  it('consumes from all of its meters or from none, and later ones see it', () => {
    fc.assert(
      fc.property(group, (attempts) => {
        const used = new Map<string, number>();
        const { verdicts } = evaluateGroup(
          attempts.map(({ meters, cost }) => ({ meters: meters.map((m) => meter(m.limit, 60, m)), cost })),
          START,
          new Map(),
        );
        for (const [i, { meters, cost }] of attempts.entries()) {
          const fits = meters.every((m) => m.unlimited || cost === 0 || (used.get(m.key) ?? 0) + cost <= m.limit);
          expect(verdicts[i]?.admitted).toBe(fits);
          if (fits) for (const m of meters) used.set(m.key, (used.get(m.key) ?? 0) + cost);
          expect(verdicts[i]?.readings.map((r) => r.used)).toEqual(meters.map((m) => used.get(m.key) ?? 0));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is decided the same in one group as one by one', () => {
    fc.assert(
      fc.property(group, (attempts) => {
        const all = attempts.map(({ meters, cost }) => ({ meters: meters.map((m) => meter(m.limit, 60, m)), cost }));
        const together = new Ledger();
        const apart = new Ledger();
        expect(together.decide(START, ...all)).toEqual(all.flatMap((attempt) => apart.decide(START, attempt)));
        expect(together.counters).toEqual(apart.counters);
      }),
    );
  });

  it('that is refused leaves every counter as it was', () => {
    const ledger = new Ledger();
    const wide = meter(100, 60, { key: 'wide' });
    const narrow = meter(1, 60, { key: 'narrow' });
    ledger.decide(START, { meters: [wide, narrow], cost: 1 });
    const before = structuredClone(ledger.counters);
    const [verdict] = ledger.decide(START, { meters: [wide, narrow], cost: 1 });
    expect(verdict?.admitted).toBe(false);
    expect(verdict?.readings.map((r) => r.retryAt)).toEqual([null, expect.any(Number)]);
    expect(ledger.counters).toEqual(before);
  });

  it('of cost 0 reads, even where the limit was lowered below what is used', () => {
    const ledger = new Ledger();
    ledger.decide(START, { meters: [meter(5, 60)], cost: 5 });
    const before = structuredClone(ledger.counters);
    const [verdict] = ledger.decide(START, { meters: [meter(2, 60)], cost: 0 });
    expect(verdict).toMatchObject({ admitted: true, readings: [{ limit: 2, used: 5, remaining: 0, retryAt: null }] });
    expect(ledger.counters).toEqual(before);
  });

  it('that names a key twice counts it once and fits under both limits', () => {
    const ledger = new Ledger();
    const twice = { meters: [meter(3, 60), meter(2, 60)], cost: 1 };
    expect(ledger.decide(START, twice, twice, twice).map((v) => v.admitted)).toEqual([true, true, false]);
    expect(ledger.decide(START, { meters: [meter(3, 60)], cost: 0 })[0]?.readings[0]?.used).toBe(2);
  });

  it('is never admitted under a limit of 0, and never will be', () => {
    const [verdict] = new Ledger().decide(START, { meters: [meter(0, 60)], cost: 1 });
    expect(verdict).toEqual({
      admitted: false,
      readings: [{ limit: 0, used: 0, remaining: 0, reset: START, retryAt: Number.POSITIVE_INFINITY }],
    });
  });

  it('with an unlimited meter counts past the limit', () => {
    const ledger = new Ledger();
    const over = { meters: [quota(1, { unlimited: true })], cost: 3 };
    expect(ledger.decide(START, over)[0]).toMatchObject({
      admitted: true,
      readings: [{ used: 3, remaining: 0, retryAt: null }],
    });
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('of cost %d is a mistake', (cost) => {
    expect(() => evaluateGroup([{ meters: [], cost }], START, new Map())).toThrow(RangeError);
  });

  it('that gives one key two windows is a mistake', () => {
    const meters = [meter(1, 60, { key: 'k' }), meter(1, 61, { key: 'k' })];
    expect(() => evaluateGroup([{ meters, cost: 1 }], START, new Map())).toThrow(RangeError);
  });
});

describe('the counters that have to be written', () => {
  const written = (cost: number, limit: number) =>
    evaluateGroup([{ meters: [meter(limit, 60)], cost }], START, new Map()).changed.length;

  it('are those that something was counted in', () => {
    expect(written(1, 5)).toBe(1);
    expect(written(0, 5)).toBe(0);
    expect(written(6, 5)).toBe(0);
  });
});

describe('a key that several meters name', () => {
  const named = (...windows: Window[]) => {
    const meters = windows.map((window) => ({ subject: 'quota' as const, key: 'key', limit: 5, window }));
    return evaluateGroup([{ meters, cost: 1 }], START, new Map());
  };

  it('has one window, however often it is written down', () => {
    expect(named({ kind: 'month' }, { kind: 'month' }).verdicts[0]?.admitted).toBe(true);
    expect(named({ kind: 'sliding', seconds: 60 }, { kind: 'sliding', seconds: 60 }).changed.length).toBe(1);
    for (const other of [{ kind: 'sliding', seconds: 30 }, { kind: 'month' }] as const)
      expect(() => named({ kind: 'sliding', seconds: 60 }, other)).toThrow(RangeError);
    expect(() => named({ kind: 'month' }, { kind: 'sliding', seconds: 60 })).toThrow(RangeError);
  });
});
