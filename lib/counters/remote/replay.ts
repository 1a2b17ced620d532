import { slidingFromSlots } from '@/lib/counters/stored-slots';
import { type Counter, emptyCounter } from '@/lib/limiter/counter';
import type { Attempt, Window } from '@/lib/limiter/meter';
import type { SlidingCounter } from '@/lib/limiter/sliding-counter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

/** A counter that a group needs: key, window in seconds (0: month), usage up to which no refusal is possible. */
export type NeededCounter = readonly [key: string, seconds: Seconds, safeUsage: number];

/** The counters of a group, each once. @throws RangeError for a bad cost, and for a key with two different windows */
export function neededCounters(attempts: readonly Attempt[]): {
  needed: NeededCounter[];
  windows: Map<string, Window>;
} {
  const windows = new Map<string, Window>();
  const demand = new Map<string, { seconds: Seconds; cost: number; leastLimit: number }>();
  for (const { cost, meters } of attempts) {
    if (!Number.isSafeInteger(cost) || cost < 0) throw new RangeError('A cost is a whole number, at least 0.');
    for (const { key, window, limit, unlimited } of meters) {
      const seconds = window.kind === 'month' ? 0 : window.seconds;
      const bound = unlimited === true || cost === 0 ? Number.MAX_SAFE_INTEGER : limit;
      const existing = demand.get(key);
      if (existing === undefined) {
        windows.set(key, window);
        demand.set(key, { seconds, cost, leastLimit: bound });
      } else {
        if (existing.seconds !== seconds) throw new RangeError('One key has one window.');
        existing.cost += cost;
        existing.leastLimit = Math.min(existing.leastLimit, bound);
      }
    }
  }
  const needed = [...demand].map(([key, { seconds, cost, leastLimit }]): NeededCounter => {
    return [key, seconds, leastLimit - cost];
  });
  return { needed, windows };
}

/**
 * Reads one counter of the server's answer: `[hits, floor]` of a month; `[used, newest slot]` of a window that cannot
 * refuse (all of it stands in the newest slot, which changes neither the sum nor the reset), else with its slots.
 */
export function replayCounter(stored: unknown, window: Window, now: Millis): Counter {
  const [first, second, slots]: unknown[] = Array.isArray(stored) ? stored : [];
  if (typeof first !== 'number' || typeof second !== 'number') return emptyCounter(window, now);
  if (window.kind === 'month') return { kind: 'month', month: monthAt(now), hits: first, floor: second };
  return slots === undefined ? { kind: 'sliding', newest: second, hits: [first] } : slidingCounter(slots);
}

/** A window from the server's `[[slot, hits], ...]`, oldest first. */
export function slidingCounter(slots: unknown): SlidingCounter {
  return slidingFromSlots(Array.isArray(slots) ? slots.filter(Array.isArray) : []);
}
