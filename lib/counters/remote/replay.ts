import { type Counter, emptyCounter } from '@/lib/limiter/counter';
import type { Attempt, Window } from '@/lib/limiter/meter';
import { EMPTY_SLIDING, type SlidingCounter } from '@/lib/limiter/sliding-counter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

/** A counter that a group asks about: key, window in seconds (0: month), up to which use no refusal is possible. */
export type Asked = readonly [key: string, seconds: Seconds, narrow: number];

/** The counters of a group, each once. @throws RangeError for a bad cost, and for a key with two different windows */
export function askedCounters(attempts: readonly Attempt[]): { asked: Asked[]; windows: Map<string, Window> } {
  const windows = new Map<string, Window>();
  const demand = new Map<string, { seconds: Seconds; cost: number; least: number }>();
  for (const { cost, meters } of attempts) {
    if (!Number.isSafeInteger(cost) || cost < 0) throw new RangeError('A cost is a whole number, at least 0.');
    for (const { key, window, limit, unlimited } of meters) {
      const seconds = window.kind === 'month' ? 0 : window.seconds;
      const bound = unlimited === true || cost === 0 ? Number.MAX_SAFE_INTEGER : limit;
      const known = demand.get(key);
      if (known === undefined) {
        windows.set(key, window);
        demand.set(key, { seconds, cost, least: bound });
      } else {
        if (known.seconds !== seconds) throw new RangeError('One key has one window.');
        known.cost += cost;
        known.least = Math.min(known.least, bound);
      }
    }
  }
  const asked = [...demand].map(([key, { seconds, cost, least }]): Asked => [key, seconds, least - cost]);
  return { asked, windows };
}

/**
 * Reads what the server said of a counter: `[hits, floor]` of a month, `[used, newest slot]` of a window that cannot
 * refuse (all of it stands for the newest slot, which changes neither the sum nor the reset), or with its slots.
 */
export function replayCounter(said: unknown, window: Window, now: Millis): Counter {
  const [first, second, slots]: unknown[] = Array.isArray(said) ? said : [];
  if (typeof first !== 'number' || typeof second !== 'number') return emptyCounter(window, now);
  if (window.kind === 'month') return { kind: 'month', month: monthAt(now), hits: first, floor: second };
  return slots === undefined ? { kind: 'sliding', newest: second, hits: [first] } : slidingCounter(slots);
}

/** A window from its slots, `[[slot, hits], ...]`, oldest first. */
export function slidingCounter(slots: unknown): SlidingCounter {
  const pairs: unknown[][] = Array.isArray(slots) ? slots.filter(Array.isArray) : [];
  const newest = Number(pairs.at(-1)?.[0]);
  if (!Number.isSafeInteger(newest)) return EMPTY_SLIDING;
  const hits: number[] = [];
  for (const [slot, count] of pairs) hits[newest - Number(slot)] = Number(count);
  return { kind: 'sliding', newest, hits: Array.from(hits, (count) => count ?? 0) };
}
