import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastQuota } from '@/lib/statistics/forecast';
import { DAY, HOUR } from '@/lib/units';

const now = Date.parse('2026-11-10T12:00:00.000Z');
const resetsAt = Date.parse('2026-12-01T00:00:00.000Z');
const today = { requests: 50, since: Date.parse('2026-11-10T00:00:00.000Z') };
const week = (...days: number[]) => ({ now, resetsAt, days, today });
const inDays = (at: number | null) => (at === null ? null : (at - now) / DAY);

describe('when a quota runs out', () => {
  it('is the rest at the mean pace of the last days; equal days leave no doubt', () => {
    const result = forecastQuota({ ...week(100, 100, 100, 100, 100, 100, 100), remaining: 500 });
    expect(result.perDay).toBe(100);
    expect(inDays(result.runsOutAt)).toBe(5);
    expect(inDays(result.earliest)).toBeCloseTo(5, 6);
    expect(inDays(result.latest)).toBeCloseTo(5, 6);
  });

  it('is not before the quota starts over', () => {
    expect(forecastQuota({ ...week(10, 10, 10), remaining: 500 })).toMatchObject({
      runsOutAt: null,
      earliest: null,
      latest: null,
    });
  });

  it('is never without use, and not asked any more once there is no rest', () => {
    expect(forecastQuota({ ...week(0, 0, 0, 0), remaining: 500 })).toMatchObject({
      perDay: 0,
      runsOutAt: null,
      earliest: null,
    });
    expect(forecastQuota({ ...week(100, 100, 100), remaining: 0 })).toMatchObject({
      runsOutAt: null,
      earliest: null,
      latest: null,
    });
  });

  it('has no interval with fewer than three days', () => {
    expect(forecastQuota({ ...week(90, 110), remaining: 500 })).toMatchObject({
      intervalKnown: false,
      earliest: null,
      latest: null,
      perDay: 100,
    });
  });

  it('goes by today alone when the key is new, and by an hour at least', () => {
    expect(forecastQuota({ ...week(), remaining: 500 }).perDay).toBe(100);
    expect(forecastQuota({ ...week(), remaining: 500, today: { requests: 50, since: now - 1_000 } }).perDay).toBe(
      (50 * DAY) / HOUR,
    );
  });

  it('has an interval around it that grows with how much the days differ', () => {
    const calm = forecastQuota({ ...week(95, 105, 100, 98, 102, 101, 99), remaining: 1_000 });
    const wild = forecastQuota({ ...week(10, 190, 40, 160, 100, 180, 20), remaining: 1_000 });
    expect(inDays(calm.runsOutAt)).toBe(10);
    expect(inDays(wild.runsOutAt)).toBe(10);
    for (const { earliest, latest } of [calm, wild]) {
      expect(earliest).toBeLessThan(calm.runsOutAt!);
      expect(latest ?? Number.POSITIVE_INFINITY).toBeGreaterThan(calm.runsOutAt!);
    }
    expect(wild.earliest!).toBeLessThan(calm.earliest!);
    expect(wild.latest ?? Number.POSITIVE_INFINITY).toBeGreaterThan(calm.latest!);
  });

  it('orders earliest, expected and latest for whatever days', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 7 }),
        fc.integer({ min: 0, max: 100_000 }),
        (days, remaining) => {
          const { earliest, runsOutAt, latest } = forecastQuota({ ...week(...days), remaining });
          const times = [earliest, runsOutAt, latest].filter((at) => at !== null);
          expect(times).toEqual([...times].sort((a, b) => a - b));
          for (const at of times) expect(at >= now && at < resetsAt).toBe(true);
          if (runsOutAt !== null && days.length >= 3) expect(earliest).not.toBeNull();
        },
      ),
    );
  });

  it('covers about 80 % of what really happens, when days are alike', () => {
    // A plain linear congruential generator: the same draws at every run.
    let state = 42;
    const draw = () => {
      let sum = 0;
      for (let n = 0; n < 12; n += 1) {
        state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
        sum += state / 2 ** 32;
      }
      return Math.max(0, 100 + (sum - 6) * 25);
    };
    let inside = 0;
    const TRIALS = 2_000;
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const { earliest, latest } = forecastQuota({ ...week(...Array.from({ length: 7 }, draw)), remaining: 1_000 });
      let left = 1_000;
      let days = 0;
      for (let today = draw(); ; today = draw()) {
        if (left <= today) {
          days += left / today;
          break;
        }
        left -= today;
        days += 1;
      }
      if (inDays(earliest)! <= days && days <= (inDays(latest) ?? Number.POSITIVE_INFINITY)) inside += 1;
    }
    expect(inside / TRIALS).toBeGreaterThan(0.7);
    expect(inside / TRIALS).toBeLessThan(0.9);
  });
});

describe('a quota of which some is granted', () => {
  const steady = (requests: number) => ({ ...week(...Array.from({ length: 7 }, () => requests)) });

  it('lasts as if the grant were part of the tier when it runs out before the grant ends', () => {
    const { runsOutAt } = forecastQuota({
      ...steady(100),
      remaining: 500,
      grants: [{ requests: 400, until: now + 6 * DAY }],
    });
    expect(runsOutAt).toBe(now + 5 * DAY);
  });

  it('runs out when the grant ends, if more is used by then than is left without it', () => {
    const until = now + 2 * DAY;
    const found = forecastQuota({ ...steady(100), remaining: 500, grants: [{ requests: 400, until }] });
    expect([found.runsOutAt, found.earliest, found.latest]).toEqual([until, until, until]);
  });

  it('runs out later, by what is left without the grant', () => {
    const grants = [{ requests: 100, until: now + DAY }];
    expect(forecastQuota({ ...steady(100), remaining: 500, grants }).runsOutAt).toBe(now + 4 * DAY);
  });

  it('is not concerned by a grant that outlives the month', () => {
    const { resetsAt } = steady(100);
    const grants = [{ requests: 400, until: resetsAt }];
    expect(forecastQuota({ ...steady(100), remaining: 500, grants })).toEqual(
      forecastQuota({ ...steady(100), remaining: 500 }),
    );
  });

  it('runs out by the end of the grant alone, where nobody sends anything', () => {
    const until = now + 3 * DAY;
    expect(forecastQuota({ ...steady(0), remaining: 300, grants: [{ requests: 300, until }] }).runsOutAt).toBe(until);
  });
});
