import { addTo, type Counter, emptyCounter, fitsAt, resetAt, settledAt, usedAt } from '@/lib/limiter/counter';
import type { Attempt, Meter, Reading, Verdict, Window } from '@/lib/limiter/meter';
import { saturatingSum } from '@/lib/limiter/sliding-counter';
import type { Millis } from '@/lib/units';

/** A counter that the group has changed, and the window by which it was counted. */
export interface ChangedCounter {
  readonly counter: Counter;
  readonly window: Window;
}

/** What a group came to: a verdict for each attempt, and the counters as they have to be written. */
export interface Judgement {
  readonly verdicts: Verdict[];
  readonly changed: ReadonlyMap<string, ChangedCounter>;
}

/** A counter while a group is judged. */
interface Tally {
  readonly window: Window;
  counter: Counter;
  used: number;
  changed: boolean;
}

/** A meter of one attempt and the counter that it reads. */
interface Held {
  readonly meter: Meter;
  readonly tally: Tally;
}

/**
 * Judges a group of attempts in order, each all or nothing over its meters, later ones against what earlier ones used.
 * Pure: this is the only place that decides, and every store that can hold a lock calls it.
 *
 * A key that is named by several meters of one attempt is counted once and has to fit under each of their limits. An
 * attempt of cost 0 asks for nothing: it is admitted whatever was used, and consumes nothing.
 *
 * A counter with hits after `now` (the clock went back) is settled, and has to be written even when nothing is consumed:
 * the times at which room comes back count from now.
 *
 * @param counters what the store holds; a key that is missing has counted nothing
 * @throws RangeError for a cost that is not a whole number from 0 to 2^53 - 1, and for a key with two different windows
 */
export function judge(attempts: readonly Attempt[], now: Millis, counters: ReadonlyMap<string, Counter>): Judgement {
  const tallies = new Map<string, Tally>();
  const verdicts = attempts.map(({ meters, cost }): Verdict => {
    if (!Number.isSafeInteger(cost) || cost < 0) throw new RangeError('A cost is a whole number, at least 0.');
    const held = meters.map((meter) => ({ meter, tally: tallyOf(meter, now, counters, tallies) }));
    const admitted = held.every((one) => fits(one, cost));
    if (admitted && cost > 0) consume(held, now, cost);
    return { admitted, readings: held.map((one) => readingOf(one, now, cost, admitted)) };
  });
  const changed = new Map<string, ChangedCounter>();
  for (const [key, tally] of tallies) if (tally.changed) changed.set(key, tally);
  return { verdicts, changed };
}

function tallyOf(
  { key, window }: Meter,
  now: Millis,
  counters: ReadonlyMap<string, Counter>,
  tallies: Map<string, Tally>,
): Tally {
  const known = tallies.get(key);
  if (known) {
    if (!sameWindow(known.window, window)) throw new RangeError('One key has one window.');
    return known;
  }
  const stored = counters.get(key) ?? emptyCounter(window, now);
  const counter = settledAt(stored, window, now);
  const tally = { window, counter, used: usedAt(counter, window, now), changed: counter !== stored };
  tallies.set(key, tally);
  return tally;
}

function sameWindow(a: Window, b: Window): boolean {
  if (a === b) return true;
  return a.kind === 'sliding' ? b.kind === 'sliding' && a.seconds === b.seconds : b.kind === 'month';
}

function fits({ meter, tally }: Held, cost: number): boolean {
  return meter.unlimited === true || cost === 0 || tally.used + cost <= meter.limit;
}

function consume(held: readonly Held[], now: Millis, cost: number): void {
  for (const one of held) {
    const { tally } = one;
    if (held.find((other) => other.tally === tally) !== one) continue;
    tally.counter = addTo(tally.counter, tally.window, now, cost);
    tally.used = saturatingSum(tally.used, cost);
    tally.changed = true;
  }
}

function readingOf(held: Held, now: Millis, cost: number, admitted: boolean): Reading {
  const { limit } = held.meter;
  const { counter, window, used } = held.tally;
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    reset: resetAt(counter, window, now),
    retryAt: admitted || fits(held, cost) ? null : fitsAt(counter, window, now, limit, cost),
  };
}
