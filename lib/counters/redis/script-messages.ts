import { slidingFromSlots } from '@/lib/counters/counter-state';
import type { MonthCounter } from '@/lib/limiter/counter';
import type { Attempt, Meter, MonthWindow, Reading, Verdict, Window } from '@/lib/limiter/meter';
import { windowCode } from '@/lib/limiter/month-anchor';
import type { SlidingCounter } from '@/lib/limiter/sliding-counter';
import { monthAt, monthEnd, monthStart, slotAt, slotGone } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** The verdicts in the doubles that `COMMIT_SCRIPT` replies. @throws RangeError when numbers are missing */
export function decodeVerdicts(attempts: readonly Attempt[], now: Millis, reply: Buffer): Verdict[] {
  let position = 0;
  const next = (): number => {
    if (position >= reply.length) throw new RangeError('The reply of the script is too short.');
    const value = reply.readDoubleLE(position);
    position += 8;
    return value;
  };
  return attempts.map(({ meters, cost }): Verdict => {
    const admitted = next() === 1;
    // Arguments are evaluated in the order in which the script replies them.
    const readings = meters.map((meter) => reading(meter, cost, now, next(), next(), admitted ? null : next()));
    return { admitted, readings };
  });
}

/** @param leaving age of the slot that makes room, -1: none; null when the attempt was admitted */
function reading(
  meter: Meter,
  cost: number,
  now: Millis,
  used: number,
  newest: number,
  leaving: number | null,
): Reading {
  const { limit } = meter;
  const refused = leaving !== null && meter.unlimited !== true && used + cost > limit;
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    reset: used === 0 ? now : gone(meter, now, newest),
    retryAt: refused ? (cost > limit ? Number.POSITIVE_INFINITY : gone(meter, now, leaving)) : null,
  };
}

/** When a slot of this age leaves the window; a month, when it ends. */
function gone({ window }: Meter, now: Millis, age: number): Millis {
  if (window.kind === 'month') return monthEnd(now, window.anchor);
  return age < 0 ? now : slotGone(slotAt(now, window.seconds) - age, window.seconds);
}

/**
 * A group as `COMMIT_SCRIPT` takes it: its attempts as a flat list.
 * @returns `keys` of the counters, each once, in the order of their numbers in the plan
 * @throws RangeError for a cost that is not a whole number from 0 to 2^53 - 1, and for a key with two different windows
 */
export function encodeGroup(attempts: readonly Attempt[]): { keys: string[]; plan: string } {
  const keys: string[] = [];
  const windows: number[] = [];
  const numbers = new Map<string, number>();
  const numbered = (key: string, window: Window): number => {
    const code = windowCode(window);
    const existing = numbers.get(key);
    if (existing === undefined) {
      keys.push(key);
      windows.push(code);
      numbers.set(key, keys.length);
      return keys.length;
    }
    if (windows[existing - 1] !== code) throw new RangeError('One key has one window.');
    return existing;
  };
  const body: number[] = [];
  for (const { cost, meters } of attempts) {
    if (!Number.isSafeInteger(cost) || cost < 0) throw new RangeError('A cost is a whole number, at least 0.');
    body.push(cost, meters.length);
    for (const { key, window, limit, unlimited } of meters) {
      body.push(numbered(key, window), unlimited === true ? -1 : limit);
    }
  }
  return { keys, plan: JSON.stringify([keys.length, ...windows, ...body]) };
}

/** Most counters of a group for `SHORT_SCRIPT`. */
const MOST_SHORT = 64;

/**
 * A group as `SHORT_SCRIPT` takes it; null for one that it does not decide.
 * @param clock the caller's
 */
export function encodeShort(attempts: readonly Attempt[], clock: Millis): { keys: string[]; plan: string } | null {
  const keys = new Set<string>();
  const body: number[] = [];
  let month: MonthWindow | null = null;
  for (const { meters, cost } of attempts) {
    if (meters.length === 0 || !Number.isSafeInteger(cost) || cost < 0) return null;
    body.push(cost, meters.length);
    for (const { key, window, limit, unlimited } of meters) {
      if (keys.size === MOST_SHORT || keys.has(key)) return null;
      keys.add(key);
      if (window.kind === 'month') {
        if (month !== null && windowCode(month) !== windowCode(window)) return null;
        month = window;
      }
      body.push(window.kind === 'month' ? 0 : window.seconds, unlimited === true ? -1 : limit);
    }
  }
  if (keys.size === 0) return null;
  return { keys: [...keys], plan: `[${[...monthOf(month, clock), ...body].join(',')}]` };
}

/** The number of the present month, and its ends. */
function monthOf(window: MonthWindow | null, clock: Millis): [month: number, first: Millis, next: Millis] {
  if (window === null) return [0, 0, 0];
  const month = monthAt(clock, window.anchor);
  return [month, monthStart(month, window.anchor), monthStart(month + 1, window.anchor)];
}

/** The time and the verdicts in the doubles that `SHORT_SCRIPT` replies. @throws RangeError when numbers are missing */
export function decodeShort(attempts: readonly Attempt[], reply: Buffer): { now: Millis; verdicts: Verdict[] } {
  if (reply.length < 8) throw new RangeError('The reply of the script is too short.');
  const now = reply.readDoubleLE(0);
  return { now, verdicts: decodeVerdicts(attempts, now, reply.subarray(8)) };
}

/** Reads a sliding window as `READ_SCRIPT` replies it; a key that is missing or damaged has counted nothing. */
export function readStoredWindow(text: unknown): SlidingCounter {
  const slots = typeof text === 'string' && /^(?:\d+:\d+;)+$/.test(text) ? text : '';
  return slidingFromSlots([...slots.matchAll(/(\d+):(\d+);/g)].map(([, slot, count]) => [slot, count]));
}

/** Reads the pair of what counts in a month and what resets have taken out of it. */
export function readStoredMonth(pair: unknown, month: number): MonthCounter {
  const [counts, floored]: unknown[] = Array.isArray(pair) ? pair : [];
  const floor = Number(floored ?? 0);
  return { kind: 'month', month, hits: floor + Number(counts ?? 0), floor };
}
