import { addTo, type Counter, emptyCounter, fitsAt, resetAt, settledAt, usedAt } from '@/lib/limiter/counter';
import type { Attempt, Meter, Reading, Verdict, Window } from '@/lib/limiter/meter';
import { saturatingSum, slidingExpires } from '@/lib/limiter/sliding-counter';
import { slotAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** A counter that the group has changed, and the window by which it was counted. */
export interface ChangedCounter {
  readonly counter: Counter;
  readonly window: Window;
}

/** A counter while its group is evaluated. */
interface OpenCounter {
  readonly window: Window;
  /** See `Meter`. */
  readonly startsAs: string | undefined;
  /** The same as that one, so far. */
  readonly isDerived: boolean;
  /** As it was before the group, settled, and what the window saw of it. */
  readonly before: Counter;
  readonly usedBefore: number;
  /** Without what is owed to it, see `counterOf`. */
  counter: Counter;
  owed: number;
  used: number;
  changed: boolean;
}

/** A meter of one attempt and the counter that it reads. */
interface OpenMeter {
  readonly meter: Meter;
  readonly open: OpenCounter;
}

/**
 * Decides a group of attempts in order, each all or nothing over its meters, later ones against what earlier ones used.
 * Pure: the one implementation in TypeScript, called by every store that can hold a lock.
 *
 * A key that several meters of one attempt name is counted once and has to fit under each of their limits. An attempt
 * of cost 0 is always admitted and consumes nothing.
 *
 * A counter with hits after `now` (the clock went back) is settled, and has to be written even when nothing is consumed:
 * the times at which room comes back count from now.
 *
 * A counter that starts as another one is not written while the two are the same, see `Meter.startsAs`.
 *
 * @param counters as stored; a key that is missing has counted nothing
 * @returns a verdict for each attempt, and the counters to write
 * @throws RangeError for a cost that is not a whole number from 0 to 2^53 - 1, and for a key with two different windows
 */
export function evaluateGroup(attempts: readonly Attempt[], now: Millis, counters: ReadonlyMap<string, Counter>) {
  const opened = new Map<string, OpenCounter>();
  const verdicts = attempts.map(({ meters, cost, isBrief }): Verdict => {
    if (!Number.isSafeInteger(cost) || cost < 0) throw new RangeError('A cost is a whole number, at least 0.');
    const openMeters = meters.map((meter) => ({ meter, open: openCounter(meter, now, counters, opened) }));
    const admitted = openMeters.every((openMeter) => fits(openMeter, cost));
    if (admitted && cost > 0) consume(openMeters, cost);
    if (isBrief === true) return admitted ? ADMITTED : REFUSED;
    return { admitted, readings: openMeters.map((openMeter) => readingOf(openMeter, now, cost, admitted)) };
  });
  const changed = new Map<string, ChangedCounter>();
  for (const [key, open] of opened) {
    if (open.startsAs === undefined) {
      if (open.changed) changed.set(key, { counter: counterOf(open, now), window: open.window });
    } else if (hasToBeWritten(open, opened.get(open.startsAs), now)) {
      changed.set(key, { counter: addTo(counterOf(open, now), open.window, now, 0), window: open.window });
    }
  }
  return { verdicts, changed };
}

/** What is answered to a brief attempt. */
const ADMITTED: Verdict = { admitted: true, readings: [] };
const REFUSED: Verdict = { admitted: false, readings: [] };

/** The counter with all that the group has counted. What nobody looks at is added at once, or not at all. */
function counterOf(open: OpenCounter, now: Millis): Counter {
  if (open.owed > 0) {
    open.counter = addTo(open.counter, open.window, now, open.owed);
    open.owed = 0;
  }
  return open.counter;
}

/**
 * Whether a counter that starts as another one has to be written: as soon as they differ. From then on it has as new a
 * slot as the other one, though without hits, because it has to be there for as long as either is seen.
 */
function hasToBeWritten(open: OpenCounter, origin: OpenCounter | undefined, now: Millis): boolean {
  // Both have added to the present slot only, so they are the same where their sums are.
  if (open.isDerived && origin !== undefined) return open.used !== origin.used;
  if (open.changed || origin === undefined || !origin.changed) return open.changed;
  const { window } = open;
  const counter = counterOf(open, now);
  return counter.kind === 'sliding' && window.kind === 'sliding' && counter.newest !== slotAt(now, window.seconds);
}

function openCounter(
  { key, window, startsAs }: Meter,
  now: Millis,
  counters: ReadonlyMap<string, Counter>,
  opened: Map<string, OpenCounter>,
): OpenCounter {
  const existing = opened.get(key);
  if (existing) {
    if (!sameWindow(existing.window, window)) throw new RangeError('One key has one window.');
    return existing;
  }
  const own = counters.get(key);
  const isDerived = startsAs !== undefined && (own === undefined || isOver(own, window, now));
  const origin = isDerived ? opened.get(startsAs) : undefined;
  const stored = origin?.before ?? (isDerived ? counters.get(startsAs) : own) ?? emptyCounter(window, now);
  const before = origin?.before ?? settledAt(stored, window, now);
  const usedBefore = origin?.usedBefore ?? usedAt(before, window, now);
  const changed = before !== stored;
  const counts = { counter: before, owed: 0, used: usedBefore, changed };
  const open = { window, startsAs, isDerived, before, usedBefore, ...counts };
  opened.set(key, open);
  return open;
}

/** Whether the window sees no slot of a counter any more, also none without hits. */
function isOver(counter: Counter, window: Window, now: Millis): boolean {
  if (counter.kind !== 'sliding' || window.kind !== 'sliding') return false;
  return slidingExpires(counter, window.seconds) <= now;
}

function sameWindow(a: Window, b: Window): boolean {
  if (a === b) return true;
  if (a.kind === 'month') return b.kind === 'month' && a.anchor === b.anchor;
  return b.kind === 'sliding' && a.seconds === b.seconds;
}

function fits({ meter, open }: OpenMeter, cost: number): boolean {
  return meter.unlimited === true || cost === 0 || open.used + cost <= meter.limit;
}

function consume(openMeters: readonly OpenMeter[], cost: number): void {
  for (const openMeter of openMeters) {
    const { open } = openMeter;
    if (openMeters.length > 1 && openMeters.find((other) => other.open === open) !== openMeter) continue;
    open.owed = saturatingSum(open.owed, cost);
    open.used = saturatingSum(open.used, cost);
    open.changed = true;
  }
}

function readingOf(openMeter: OpenMeter, now: Millis, cost: number, admitted: boolean): Reading {
  const { limit } = openMeter.meter;
  const { window, used } = openMeter.open;
  const counter = counterOf(openMeter.open, now);
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    reset: resetAt(counter, window, now),
    retryAt: admitted || fits(openMeter, cost) ? null : fitsAt(counter, window, now, limit, cost),
  };
}
