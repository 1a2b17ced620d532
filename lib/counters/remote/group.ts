import { createFromSlots } from '@/lib/counters/counter-state';
import { listCosts } from '@/lib/limiter/costs';
import { type Counter, createEmptyCounter } from '@/lib/limiter/counter';
import type { Attempt, Window } from '@/lib/limiter/meter';
import { encodeWindow } from '@/lib/limiter/month-anchor';
import { createSliding, type SlidingCounter } from '@/lib/limiter/sliding-counter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis, Seconds } from '@/lib/units';

/**
 * Collects the counters of a group without duplicates: key, window in the form of `encodeWindow`, and the usage up to
 * which no refusal is possible.
 * @throws RangeError if a cost is not valid, or if a key has two different windows
 */
export function collectCounters(attempts: readonly Attempt[]) {
  const windows = new Map<string, Window>();
  const demand = new Map<string, { seconds: Seconds; cost: number; leastLimit: number }>();
  for (const attempt of attempts) {
    const costs = listCosts(attempt);
    for (const [i, { key, window, limit, unlimited }] of attempt.meters.entries()) {
      const cost = costs?.[i] ?? attempt.cost;
      const seconds = encodeWindow(window);
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
  const needed = [...demand].map(([key, { seconds, cost, leastLimit }]) => [key, seconds, leastLimit - cost] as const);
  return { needed, windows };
}

/**
 * Reads one counter of the server's answer. A month is `[hits, floor]`. A window that cannot refuse is `[used, newest
 * slot]`: all hits are in the newest slot, which changes neither the sum nor the reset. Any other window has its slots
 * too.
 */
export function replayCounter(stored: unknown, window: Window, now: Millis): Counter {
  const [first, second, slots]: unknown[] = Array.isArray(stored) ? stored : [];
  if (typeof first !== 'number') return createEmptyCounter(window, now);
  if (window.kind === 'month') {
    if (typeof second !== 'number') return createEmptyCounter(window, now);
    return { kind: 'month', month: computeCalendarMonth(now, window.anchor), hits: first, floor: second };
  }
  if (slots !== undefined) return parseSlidingCounter(slots);
  return typeof second === 'number' ? createSliding(second, [first]) : createEmptyCounter(window, now);
}

/** Creates a window from the server's `[[slot, hits], ...]`, oldest first. */
export function parseSlidingCounter(slots: unknown): SlidingCounter {
  return createFromSlots(Array.isArray(slots) ? slots.filter(Array.isArray) : []);
}

/**
 * Demand of an item (a run of equal attempts) on one counter: number of the item, key, window in the form of
 * `encodeWindow`, limit (-1: none), cost of one attempt in this counter, number of attempts.
 */
type Demand = readonly [item: number, key: string, seconds: Seconds, limit: number, cost: number, times: number];

/** Items without common counters, so that one statement can decide all of them. */
export type IndependentBatch = Demand[];

interface Item {
  readonly batch: number;
  /** Equal for equal attempts. */
  readonly fingerprint: string;
  readonly counters: readonly (readonly [key: string, seconds: Seconds, limit: number, cost: number])[];
  times: number;
}

/**
 * Sorts a group into batches. Deciding batch after batch gives the same result as deciding attempt after attempt. An
 * attempt comes after all earlier ones that share a counter with it, and joins the last of them if they are equal. A
 * group thus needs as many statements as its busiest counter has different attempts. If one client sends all of it, one
 * statement is enough.
 */
export function splitIndependent(attempts: readonly Attempt[]): IndependentBatch[] {
  const items: Item[] = [];
  const latest = new Map<string, Item>();
  for (const attempt of attempts) {
    const counters = listCounters(attempt);
    if (counters.length === 0) continue;
    const before = counters.map(([key]) => latest.get(key));
    const fingerprint = JSON.stringify(counters);
    const [first] = before;
    if (first?.fingerprint === fingerprint && before.every((item) => item === first)) {
      first.times += 1;
      continue;
    }
    const batch = Math.max(-1, ...before.map((item) => item?.batch ?? -1)) + 1;
    const item: Item = { batch, fingerprint, counters, times: 1 };
    items.push(item);
    for (const [key] of counters) latest.set(key, item);
  }
  const batches: IndependentBatch[] = [];
  for (const [number, { batch, counters, times }] of items.entries()) {
    const demands = batches[batch] ?? [];
    batches[batch] = demands;
    for (const [key, seconds, limit, cost] of counters) demands.push([number, key, seconds, limit, cost, times]);
  }
  return batches;
}

/**
 * Lists the counters in which an attempt counts, without duplicates, with the lowest of their limits. A counter of cost
 * 0 never refuses.
 */
function listCounters(attempt: Attempt): Item['counters'] {
  const costs = listCosts(attempt);
  const counters = new Map<string, [string, Seconds, number, number]>();
  for (const [i, { key, window, limit, unlimited }] of attempt.meters.entries()) {
    const cost = costs?.[i] ?? attempt.cost;
    if (cost === 0) continue;
    const bound = unlimited === true ? -1 : limit;
    const existing = counters.get(key);
    if (existing === undefined) counters.set(key, [key, encodeWindow(window), bound, cost]);
    else if (bound >= 0) existing[2] = existing[2] < 0 ? bound : Math.min(existing[2], bound);
  }
  return [...counters.values()];
}
