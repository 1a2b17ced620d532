import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IndependentBatch, splitIndependent } from '@/lib/counters/remote/group';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { listHits } from '@/lib/limiter/sliding-counter';
import { histories } from '../../../fixtures/random-groups';

const NOW = Date.UTC(2026, 10, 21);

function meter(key: string, limit: number): Meter {
  return { subject: 'ip', key, limit, window: { kind: 'sliding', seconds: 60 } };
}

function attempt(...meters: Meter[]): Attempt {
  return { meters, cost: 1 };
}

/** Judges wave by wave, in any order within a wave, and answers what each counter has. */
function sums(group: readonly IndependentBatch[]): Record<string, number> {
  const used = new Map<string, number>();
  for (const asks of group) {
    for (const item of new Set(asks.map(([number]) => number).toReversed())) {
      const mine = asks.filter((ask) => ask[0] === item);
      const room = mine.map(([, key, , limit, cost, times]) => {
        return limit < 0 ? times : Math.min(times, Math.floor(Math.max(0, limit - (used.get(key) ?? 0)) / cost));
      });
      const granted = Math.min(...room);
      if (granted > 0) for (const [, key, , , cost] of mine) used.set(key, (used.get(key) ?? 0) + granted * cost);
    }
  }
  return Object.fromEntries(used);
}

/** Of each wave, the number and the times of its items. */
function items(group: readonly IndependentBatch[]): number[][][] {
  return group.map((asks) => [...new Map(asks.map(([item, , , , , times]) => [item, [item, times]])).values()]);
}

describe('independentBatches', () => {
  it('puts clients that have nothing in common into one wave', () => {
    const group = splitIndependent(
      Array.from({ length: 500 }, (_, i) => attempt(meter(`ip|${i}`, 5), meter(`user|${i}`, 5))),
    );
    expect(group).toHaveLength(1);
    expect(items(group)[0]).toHaveLength(500);
  });

  it('makes one item of what one client sends in a row', () => {
    const group = splitIndependent(Array.from({ length: 500 }, () => attempt(meter('ip|a', 5), meter('user|a', 5))));
    expect(items(group)).toEqual([[[0, 500]]]);
  });

  it('keeps the order of attempts that share a counter', () => {
    const group = splitIndependent([
      attempt(meter('ip|a', 5)),
      attempt(meter('ip|a', 5), meter('user|b', 1)),
      attempt(meter('ip|a', 5)),
    ]);
    expect(items(group)).toEqual([[[0, 1]], [[1, 1]], [[2, 1]]]);
  });

  it('leaves out what asks for nothing', () => {
    expect(splitIndependent([{ meters: [meter('ip|a', 5)], cost: 0 }])).toEqual([]);
  });

  it('come to the same as judging one by one', () => {
    fc.assert(
      fc.property(histories({ back: false }), (steps) => {
        const attempts = steps.flatMap((step) => step.attempts);
        const { changed } = evaluateGroup(attempts, NOW, new Map());
        const expected = changed.map(({ key, counter }) => {
          return [key, counter.kind === 'month' ? counter.hits : listHits(counter).reduce((a, b) => a + b)];
        });
        expect(sums(splitIndependent(attempts))).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 2_000 },
    );
  });
});
