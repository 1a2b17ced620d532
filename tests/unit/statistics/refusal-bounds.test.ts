import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addHits, type Counter, createEmptyCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Window } from '@/lib/limiter/meter';
import { PART } from '@/lib/statistics/demand';
import { computeRefusalBounds } from '@/lib/statistics/refusal-bounds';

const START = Date.UTC(2026, 10, 20, 12);

/** What the limiter itself refuses of requests at these times (in milliseconds after the start). */
function reallyRefused(times: readonly number[], limit: number, seconds: number): number {
  const window: Window = { kind: 'sliding', seconds };
  let counter: Counter = createEmptyCounter(window, START);
  let refused = 0;
  for (const time of times) {
    const meters = [{ subject: 'ip' as const, key: 'k', limit, window }];
    const { verdicts } = evaluateGroup([{ meters, cost: 1 }], START + time, new Map([['k', counter]]));
    if (verdicts[0]!.admitted) counter = addHits(counter, window, START + time, 1);
    else refused += 1;
  }
  return refused;
}

function partsOf(times: readonly number[], minutes: number): number[] {
  const parts = Array.from({ length: minutes * 6 }, () => 0);
  for (const time of times) parts[Math.floor(time / PART)]! += 1;
  return parts;
}

describe('what a limit would have refused', () => {
  it('lies between the two bounds, whatever the traffic, the limit and the window', () => {
    const minutes = 6;
    const traffic = fc
      .array(fc.integer({ min: 0, max: minutes * 60_000 - 1 }), { maxLength: 120 })
      .map((times) => times.sort((a, b) => a - b));
    fc.assert(
      fc.property(
        traffic,
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 400 }),
        (times, limit, seconds) => {
          const real = reallyRefused(times, limit, seconds);
          const { atLeast, atMost } = computeRefusalBounds(partsOf(times, minutes), limit, seconds, 0);
          expect(atLeast).toBeLessThanOrEqual(real);
          expect(atMost).toBeGreaterThanOrEqual(real);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is exact for a burst: both bounds are what is above the limit', () => {
    expect(computeRefusalBounds([0, 0, 0, 25, 0, 0], 10, 60, 0)).toEqual({ atLeast: 15, atMost: 15 });
  });

  it('is nothing where the limit is never reached', () => {
    expect(
      computeRefusalBounds(
        Array.from({ length: 60 }, () => 1),
        10,
        60,
        0,
      ),
    ).toEqual({ atLeast: 0, atMost: 0 });
  });

  it('does not count what comes before, and lets it fill the window', () => {
    expect(computeRefusalBounds([10, 5], 10, 60, 1)).toEqual({ atLeast: 5, atMost: 5 });
  });
});
