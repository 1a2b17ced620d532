import type { Corrections } from '@/lib/limiter/corrections';
import { checkCost } from '@/lib/limiter/costs';
import {
  addHits,
  type ChangedCounter,
  type Counter,
  countUsed,
  createEmptyCounter,
  findReset,
  findRetryTime,
  settleCounter,
} from '@/lib/limiter/counter';
import type { Attempt, Meter, Reading, Verdict, Window } from '@/lib/limiter/meter';
import { addSaturating } from '@/lib/limiter/sliding-counter';
import type { Millis } from '@/lib/units';

/** Placeholder for a counter before the group is evaluated. */
const UNREAD: Counter = { kind: 'month', month: 0, hits: 0, floor: 0 };

/** A counter of a group: its stored state, and its state during the evaluation. */
export class GroupCounter implements ChangedCounter {
  /** Set by the store before the group is evaluated. */
  stored: Counter | undefined = undefined;
  /** The state after the settlements of the group, if they have changed it. */
  corrected: Counter | undefined = undefined;
  /** The counter without the `owed` hits. See `settleDebt`. */
  counter: Counter = UNREAD;
  owed = 0;
  used = 0;
  /** Cost of the attempt that is being evaluated, until it is counted. The largest applies if meters have several. */
  cost = 0;
  isChanged = false;

  constructor(
    readonly key: string,
    readonly window: Window,
  ) {}

  /** Counts the cost of the current attempt, once. */
  consume(): void {
    if (this.cost === 0) return;
    this.owed = addSaturating(this.owed, this.cost);
    this.used = addSaturating(this.used, this.cost);
    this.cost = 0;
    this.isChanged = true;
  }
}

/**
 * A group of attempts, decided in order. Each attempt is all or nothing over its meters, and later attempts see what
 * earlier ones used. Every store that can hold a lock uses this implementation: it looks up `counters`, then evaluates.
 *
 * If several meters of one attempt name the same key, the key is counted once, with the largest of their costs, and must
 * fit under each limit. A meter of cost 0 always admits and consumes nothing.
 *
 * A counter with hits after `now` (the clock went back) is settled. The store must write it even if nothing is
 * consumed, because its free times count from now.
 */
export class Group {
  /** The counters of all meters, without duplicates. */
  readonly counters: GroupCounter[] = [];
  readonly #byKey = new Map<string, GroupCounter>();
  /** The counter of each meter, in the order of the meters. */
  readonly #byMeter: GroupCounter[] = [];
  /** Counters that only the settlements of the group have changed. */
  #corrected: readonly ChangedCounter[] = [];

  /**
   * @param corrections corrections by settlements, which come before the attempts; their counters are looked up too
   * @throws RangeError for a key with two different windows
   */
  constructor(
    private readonly attempts: readonly Attempt[],
    private readonly corrections?: Corrections,
  ) {
    for (const { meters } of attempts) for (const meter of meters) this.#byMeter.push(this.#add(meter));
  }

  #add({ key, window }: Meter): GroupCounter {
    const existing = this.#byKey.get(key);
    if (existing !== undefined) {
      if (!isSameWindow(existing.window, window)) throw new RangeError('One key has one window.');
      return existing;
    }
    const counter = new GroupCounter(key, window);
    this.#byKey.set(key, counter);
    this.counters.push(counter);
    return counter;
  }

  /**
   * Returns the verdict on each attempt. Can be called only once.
   * @throws RangeError if a cost is not a whole number from 0 to 2^53 - 1
   */
  evaluate(now: Millis): Verdict[] {
    if (this.corrections !== undefined) this.#correct(this.corrections);
    for (const counter of this.counters) readStored(counter, now);
    let first = 0;
    return this.attempts.map((attempt) => {
      const { meters } = attempt;
      const from = first;
      first += meters.length;
      this.#charge(from, attempt);
      const admitted = meters.every((meter, i) => canFit(meter, this.#findCounter(from + i)));
      if (admitted) for (let i = from; i < first; i += 1) this.#findCounter(i).consume();
      const readings = meters.map((meter, i) => buildReading(meter, this.#findCounter(from + i), now, admitted));
      if (!admitted) for (let i = from; i < first; i += 1) this.#findCounter(i).cost = 0;
      return { admitted, readings };
    });
  }

  /** Lists the counters to write after the group was evaluated at that time. */
  listChangedCounters(now: Millis): ChangedCounter[] {
    const changed = this.counters.filter(({ isChanged }) => isChanged);
    for (const counter of changed) settleDebt(counter, now);
    return this.#corrected.length === 0 ? changed : [...this.#corrected, ...changed];
  }

  /** Applies the settlements. The counters of attempts continue from the result. */
  #correct(corrections: Corrections): void {
    const corrected = new Set(corrections.apply());
    for (const counter of this.counters) {
      const found = corrections.find(counter.key, counter.window);
      if (found === undefined) continue;
      counter.corrected = found.counter;
      corrected.delete(found);
    }
    this.#corrected = [...corrected];
  }

  /** Sets the costs of an attempt, whose meters begin at `from`. */
  #charge(from: number, { meters, cost }: Attempt): void {
    checkCost(cost);
    for (let i = 0; i < meters.length; i += 1) {
      const own = meters[i]?.cost;
      if (own !== undefined) checkCost(own);
      const counter = this.#findCounter(from + i);
      counter.cost = Math.max(counter.cost, own ?? cost);
    }
  }

  #findCounter(position: number): GroupCounter {
    return this.#byMeter[position] as GroupCounter;
  }
}

/**
 * Evaluates a `Group` with these counters. Pure.
 * @param counters stored states; a missing key has no hits
 * @returns a verdict for each attempt, and the counters to write
 * @throws RangeError if a cost is not a whole number from 0 to 2^53 - 1, or if a key has two different windows
 */
export function evaluateGroup(attempts: readonly Attempt[], now: Millis, counters: Pick<Map<string, Counter>, 'get'>) {
  const group = new Group(attempts);
  for (const counter of group.counters) counter.stored = counters.get(counter.key);
  const verdicts = group.evaluate(now);
  return { verdicts, changed: group.listChangedCounters(now) };
}

/** Adds the `owed` hits. Batching saves one update per attempt between two readings. */
function settleDebt(counter: GroupCounter, now: Millis): void {
  if (counter.owed === 0) return;
  counter.counter = addHits(counter.counter, counter.window, now, counter.owed);
  counter.owed = 0;
}

function readStored(counter: GroupCounter, now: Millis): void {
  const { window } = counter;
  const stored = counter.stored ?? createEmptyCounter(window, now);
  counter.counter = settleCounter(counter.corrected ?? stored, window, now);
  counter.used = countUsed(counter.counter, window, now);
  counter.isChanged = counter.counter !== stored;
}

function isSameWindow(a: Window, b: Window): boolean {
  if (a === b) return true;
  if (a.kind === 'month') return b.kind === 'month' && a.anchor === b.anchor;
  return b.kind === 'sliding' && a.seconds === b.seconds;
}

function canFit({ unlimited, limit }: Meter, { used, cost }: GroupCounter): boolean {
  return unlimited === true || cost === 0 || used + cost <= limit;
}

function buildReading(meter: Meter, counter: GroupCounter, now: Millis, admitted: boolean): Reading {
  const { limit } = meter;
  const { window, used, cost } = counter;
  settleDebt(counter, now);
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    reset: findReset(counter.counter, window, now),
    retryAt: admitted || canFit(meter, counter) ? null : findRetryTime(counter.counter, window, now, limit, cost),
  };
}
