import { addTo, type Counter, emptyCounter, fitsAt, resetAt, settledAt, usedAt } from '@/lib/limiter/counter';
import type { Attempt, Meter, Reading, Verdict, Window } from '@/lib/limiter/meter';
import { saturatingSum, slidingExpires } from '@/lib/limiter/sliding-counter';
import { slotAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** A counter that a store looks for. */
export interface PlacedCounter {
  readonly key: string;
  readonly window: Window;
  /** Where the store has it, for the store itself and until the end of the turn: it spares it searches by key. */
  place?: object | undefined;
  /** The candidate that counts by it, and the counter that it stands beside. */
  readonly candidate?: string | undefined;
  readonly beside?: Pick<PlacedCounter, 'place'> | undefined;
}

/** A counter that a group has changed. */
export interface ChangedCounter extends PlacedCounter {
  readonly counter: Counter;
}

/** Of a counter that is not open. */
const UNKNOWN: Counter = { kind: 'month', month: 0, hits: 0, floor: 0 };

/** A counter of a group: as it is stored, and while the group is evaluated. */
export class GroupCounter implements ChangedCounter {
  /** As the store has it; undefined where that has nothing of it. The store sets it before the group is evaluated. */
  stored: Counter | undefined = undefined;
  place: object | undefined = undefined;
  /** The last one of candidates that stands beside it, and the one before this one. */
  lastBeside: GroupCounter | undefined = undefined;
  previousBeside: GroupCounter | undefined = undefined;
  /** Whether a meter of those that were evaluated reads it. */
  isOpen = false;
  /** The same as the one that it starts as, so far. */
  isDerived = false;
  /** As it was before the group, settled, and what the window saw of it. */
  before: Counter = UNKNOWN;
  usedBefore = 0;
  /** Without what is owed to it, see `settleDebt`. */
  counter: Counter = UNKNOWN;
  owed = 0;
  used = 0;
  isChanged = false;

  /** @param origin the counter that it starts as, see `Meter.startsAs` */
  constructor(
    readonly key: string,
    readonly window: Window,
    readonly origin: GroupCounter | undefined,
    readonly candidate: string | undefined,
    readonly beside: GroupCounter | undefined,
  ) {}
}

/**
 * A group of attempts, decided in order, each all or nothing over its meters, later ones against what earlier ones used.
 * The one implementation in TypeScript, for every store that can hold a lock: it looks up `counters`, and evaluates.
 *
 * A key that several meters of one attempt name is counted once and has to fit under each of their limits. An attempt
 * of cost 0 is always admitted and consumes nothing.
 *
 * A counter with hits after `now` (the clock went back) is settled, and has to be written even when nothing is consumed:
 * the times at which room comes back count from now.
 *
 * A counter that starts as another one is not written while the two are the same, see `Meter.startsAs`.
 */
export class Group {
  /** The counters that the verdicts depend on: of all meters, and those that they start as. */
  readonly counters: GroupCounter[] = [];
  readonly #byKey = new Map<string, GroupCounter>();
  /** That of each meter, in their order. */
  readonly #ofMeters: GroupCounter[] = [];

  /** @throws RangeError for a key with two different windows */
  constructor(private readonly attempts: readonly Attempt[]) {
    for (const { meters } of attempts) {
      for (const meter of meters) {
        const beside = this.#besideOf(meter);
        this.#ofMeters.push(beside === undefined ? this.#add(meter) : this.#addBeside(beside, meter));
      }
    }
  }

  /** The counter that one of a candidate stands beside. */
  #besideOf({ beside, window, startsAs }: Meter): GroupCounter | undefined {
    if (beside === undefined) return undefined;
    const present = this.#byKey.get(beside);
    return present === undefined && startsAs === beside ? this.#add({ key: beside, window }) : present;
  }

  #add({ key, window, startsAs }: Pick<Meter, 'key' | 'window' | 'startsAs'>): GroupCounter {
    const existing = this.#byKey.get(key);
    if (existing !== undefined) return withWindow(existing, window);
    const origin = startsAs === undefined ? undefined : this.#add({ key: startsAs, window });
    const counter = new GroupCounter(key, window, origin, undefined, undefined);
    this.#byKey.set(key, counter);
    this.counters.push(counter);
    return counter;
  }

  /** Finds the counter of a candidate by the one that it stands beside: that costs less than to look for another key. */
  #addBeside(beside: GroupCounter, { key, window, startsAs, candidate }: Meter): GroupCounter {
    for (let other = beside.lastBeside; other !== undefined; other = other.previousBeside) {
      if (other.candidate === candidate) return withWindow(other, window);
    }
    const counter = new GroupCounter(key, window, startsAs === undefined ? undefined : beside, candidate, beside);
    counter.previousBeside = beside.lastBeside;
    beside.lastBeside = counter;
    this.counters.push(counter);
    return counter;
  }

  /**
   * The verdict on each attempt. Once.
   * @throws RangeError for a cost that is not a whole number from 0 to 2^53 - 1
   */
  evaluate(now: Millis): Verdict[] {
    let first = 0;
    return this.attempts.map(({ meters, cost, isBrief }) => {
      if (!Number.isSafeInteger(cost) || cost < 0) throw new RangeError('A cost is a whole number, at least 0.');
      const from = first;
      first += meters.length;
      let admitted = true;
      for (let i = 0; i < meters.length; i += 1) {
        const counter = this.#ofMeter(from + i);
        if (!counter.isOpen) open(counter, now);
        if (!fits(meters[i] as Meter, counter, cost)) admitted = false;
      }
      if (admitted && cost > 0) for (let i = 0; i < meters.length; i += 1) this.#consume(from, from + i, cost);
      if (isBrief === true) return admitted ? ADMITTED : REFUSED;
      const readings = meters.map((meter, i) => readingOf(meter, this.#ofMeter(from + i), now, cost, admitted));
      return { admitted, readings };
    });
  }

  /** The counters to write, after the group was evaluated at that time. */
  changed(now: Millis): ChangedCounter[] {
    const changed: ChangedCounter[] = [];
    for (const counter of this.counters) {
      if (!counter.isOpen || !hasToBeWritten(counter, now)) continue;
      settleDebt(counter, now);
      if (counter.origin !== undefined) counter.counter = addTo(counter.counter, counter.window, now, 0);
      changed.push(counter);
    }
    return changed;
  }

  #ofMeter(position: number): GroupCounter {
    return this.#ofMeters[position] as GroupCounter;
  }

  /** Once for all meters of an attempt, which begin at `from`, that read the same counter. */
  #consume(from: number, position: number, cost: number): void {
    const counter = this.#ofMeter(position);
    for (let earlier = from; earlier < position; earlier += 1) if (this.#ofMeter(earlier) === counter) return;
    counter.owed = saturatingSum(counter.owed, cost);
    counter.used = saturatingSum(counter.used, cost);
    counter.isChanged = true;
  }
}

/**
 * Evaluates a `Group` by these counters. Pure.
 * @param counters as stored; a key that is missing has counted nothing
 * @returns a verdict for each attempt, and the counters to write
 * @throws RangeError for a cost that is not a whole number from 0 to 2^53 - 1, and for a key with two different windows
 */
export function evaluateGroup(attempts: readonly Attempt[], now: Millis, counters: Pick<Map<string, Counter>, 'get'>) {
  const group = new Group(attempts);
  for (const counter of group.counters) counter.stored = counters.get(counter.key);
  const verdicts = group.evaluate(now);
  return { verdicts, changed: group.changed(now) };
}

/** What is answered to a brief attempt. */
const ADMITTED: Verdict = { admitted: true, readings: [] };
const REFUSED: Verdict = { admitted: false, readings: [] };

/** Adds what the group has counted: of what nobody looks at once, or not at all. */
function settleDebt(counter: GroupCounter, now: Millis): void {
  if (counter.owed === 0) return;
  counter.counter = addTo(counter.counter, counter.window, now, counter.owed);
  counter.owed = 0;
}

/**
 * Whether a counter that starts as another one has to be written: as soon as they differ. From then on it has as new a
 * slot as the other one, though without hits, because it has to be there for as long as either is seen.
 */
function hasToBeWritten(counter: GroupCounter, now: Millis): boolean {
  const { origin, isChanged, window } = counter;
  if (origin === undefined || !origin.isOpen) return isChanged;
  // Both have added to the present slot only, so they are the same where their sums are.
  if (counter.isDerived) return counter.used !== origin.used;
  if (isChanged || !origin.isChanged) return isChanged;
  settleDebt(counter, now);
  const { counter: present } = counter;
  return present.kind === 'sliding' && window.kind === 'sliding' && present.newest !== slotAt(now, window.seconds);
}

function open(counter: GroupCounter, now: Millis): void {
  const { window, origin, stored: own } = counter;
  counter.isOpen = true;
  counter.isDerived = origin !== undefined && (own === undefined || isOver(own, window, now));
  if (counter.isDerived && origin?.isOpen) {
    counter.before = origin.before;
    counter.usedBefore = origin.usedBefore;
  } else {
    const stored = (counter.isDerived ? origin?.stored : own) ?? emptyCounter(window, now);
    counter.before = settledAt(stored, window, now);
    counter.usedBefore = usedAt(counter.before, window, now);
    counter.isChanged = counter.before !== stored;
  }
  counter.counter = counter.before;
  counter.used = counter.usedBefore;
}

/** Whether the window sees no slot of a counter any more, also none without hits. */
function isOver(counter: Counter, window: Window, now: Millis): boolean {
  return counter.kind === 'sliding' && window.kind === 'sliding' && slidingExpires(counter, window.seconds) <= now;
}

/** @throws RangeError where the counter has another window */
function withWindow(counter: GroupCounter, window: Window): GroupCounter {
  if (!sameWindow(counter.window, window)) throw new RangeError('One key has one window.');
  return counter;
}

function sameWindow(a: Window, b: Window): boolean {
  if (a === b) return true;
  if (a.kind === 'month') return b.kind === 'month' && a.anchor === b.anchor;
  return b.kind === 'sliding' && a.seconds === b.seconds;
}

function fits({ unlimited, limit }: Meter, { used }: GroupCounter, cost: number): boolean {
  return unlimited === true || cost === 0 || used + cost <= limit;
}

function readingOf(meter: Meter, counter: GroupCounter, now: Millis, cost: number, admitted: boolean): Reading {
  const { limit } = meter;
  const { window, used } = counter;
  settleDebt(counter, now);
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    reset: resetAt(counter.counter, window, now),
    retryAt: admitted || fits(meter, counter, cost) ? null : fitsAt(counter.counter, window, now, limit, cost),
  };
}
