import { createHeldLease, estimateStoreTime, type HeldLease } from '@/lib/counters/held-lease';
import type { Leasing, Unspent } from '@/lib/counters/store';
import type { Attempt, Meter, Reading, Verdict } from '@/lib/limiter/meter';
import { findSlotExpiry } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Interval at which `sweep` must be called. */
export const SWEEP_EVERY: Millis = 50;
/** Units in one period from which a subject is hot, in the current period or the previous one. */
const HOT = 20;
const PERIOD: Millis = 1_000;
/** Pause of a subject after little was left, or after the store could not answer. */
const PAUSE: Millis = 100;
/** Pause of a subject after a fault of the store. */
const FAULT_PAUSE: Millis = 1_000;
/** Maximum number of subjects whose demand is counted. The store decides the others until the next sweep. */
const MOST_SUBJECTS = 10_000;

/**
 * Interval at which the wall clock is read. The value counts as current until then, because an answer takes longer to
 * leave.
 */
const READ_WALL_EVERY: Millis = 0.05;

/** A time by both clocks. */
export interface ClockReading {
  readonly monotonic: Millis;
  readonly wall: Millis;
}

interface Subject {
  readonly key: string;
  /** Units requested in the current period, and in the previous one. */
  demand: number;
  before: number;
  period: number;
  held: HeldLease | null;
  /** Calls of the store in flight for this subject. Only one runs at a time, so at most the lease is held. */
  calls: number;
  notBefore: Millis;
}

/** Result of an attempt that was decided without the store. */
interface Spent {
  /** Estimated time of the store, in the slots in which the permits were counted. */
  at: Millis;
  verdict: Verdict;
}

interface LeasesOptions {
  leasing: Leasing;
  /** Monotonic clock. */
  monotonic: () => Millis;
  /** Wall clock. Unlike the monotonic one, it continues while the machine sleeps. */
  clock: () => Millis;
}

/**
 * Decides attempts on hot subjects without the store, with permits that the store has counted ahead. A permit is spent
 * in the slot in which it was counted, or not at all, so the result matches that of the store. The end of the slot is a
 * time of the store's clock, and our clocks count from before the call was sent. When a process dies, its permits count
 * as spent.
 */
export class Leases {
  readonly #subjects = new Map<string, Subject>();
  readonly #calls = new Set<Promise<void>>();
  #isClosed = false;
  /** The last reading of the wall clock, with its time. */
  #read: ClockReading = { monotonic: Number.NEGATIVE_INFINITY, wall: 0 };

  constructor(private readonly options: LeasesOptions) {}

  /** Returns the current time. Reading the wall clock takes a tenth of a decision, so it is read every 50 µs. */
  readClock(): ClockReading {
    const monotonic = this.options.monotonic();
    if (monotonic - this.#read.monotonic >= READ_WALL_EVERY) this.#read = { monotonic, wall: this.options.clock() };
    return { monotonic, wall: this.#read.wall };
  }

  /**
   * Spends a permit of every meter for each unit of its cost. If that is not possible, it returns null, and requests
   * permits for hot subjects. Does nothing if a meter has no lease.
   * @param present result of `readClock`
   */
  spend(revision: number, { meters, cost }: Attempt, present: ClockReading): Spent | null {
    if (this.#isClosed || meters.length === 0) return null;
    for (const { lease, cost: own = cost } of meters) if (lease === undefined || own === 0 || lease < own) return null;
    const { monotonic, wall } = present;
    const subjects: Subject[] = [];
    let at = Number.POSITIVE_INFINITY;
    let isHot = true;
    for (const meter of meters) {
      const own = meter.cost ?? cost;
      const subject = this.#findOrCreateSubject(meter.key, monotonic, own);
      if (subject === null || subjects.includes(subject)) return null;
      subjects.push(subject);
      isHot &&= measureDemand(subject) >= HOT;
      at = Math.min(at, this.#findUsableLease(subject, meter, revision, monotonic, wall, own));
    }
    const isHeld = at > 0;
    if (isHeld) {
      for (let i = 0; i < meters.length; i += 1) {
        const held = subjects[i]?.held;
        if (held) held.left -= meters[i]?.cost ?? cost;
      }
    }
    if (isHot) {
      for (let i = 0; i < meters.length; i += 1) {
        this.#refill(subjects[i] as Subject, meters[i] as Meter, revision, monotonic, wall);
      }
    }
    if (!isHeld) return null;
    return { at: Math.floor(at), verdict: { admitted: true, readings: buildReadings(meters, subjects) } };
  }

  /** Undoes `spend`, in the same turn of the event loop. */
  undoSpend({ meters, cost }: Attempt): void {
    for (const { key, cost: own = cost } of meters) {
      const held = this.#subjects.get(key)?.held;
      if (held) held.left += own;
    }
  }

  /** Returns expired permits to the store, and drops subjects without recent requests. */
  sweep(): void {
    if (this.#subjects.size === 0) return;
    const monotonic = this.options.monotonic();
    const wall = this.options.clock();
    const period = Math.floor(monotonic / PERIOD);
    const ended: Subject[] = [];
    for (const [key, subject] of this.#subjects) {
      if (subject.held !== null && estimateStoreTime(subject.held, monotonic, wall) === null) ended.push(subject);
      const isForgotten = subject.period < period - 1 || (subject.period < period && measureDemand(subject) < HOT);
      if (isForgotten && subject.held === null && subject.calls === 0) this.#subjects.delete(key);
    }
    this.#returnUnspent(ended);
  }

  /** Returns all permits. From then on the store decides. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#calls.size > 0) await Promise.all(this.#calls);
    this.#returnUnspent([...this.#subjects.values()]);
    this.#subjects.clear();
    await Promise.all(this.#calls);
  }

  #findOrCreateSubject(key: string, monotonic: Millis, cost: number): Subject | null {
    const period = Math.floor(monotonic / PERIOD);
    let subject = this.#subjects.get(key);
    if (subject === undefined) {
      if (this.#subjects.size >= MOST_SUBJECTS) return null;
      subject = { key, demand: 0, before: 0, period, held: null, calls: 0, notBefore: 0 };
      this.#subjects.set(key, subject);
    } else if (subject.period !== period) {
      subject.before = subject.period === period - 1 ? subject.demand : 0;
      subject.demand = 0;
      subject.period = period;
    }
    subject.demand += cost;
    return subject;
  }

  /** Returns the latest possible time of the store if the subject's permits can be spent for this meter, else 0. */
  #findUsableLease(
    subject: Subject,
    meter: Meter,
    revision: number,
    monotonic: Millis,
    wall: Millis,
    cost: number,
  ): Millis {
    const { held } = subject;
    if (held === null) return 0;
    const isSame = held.revision === revision && held.limit === meter.limit;
    const at = isSame ? estimateStoreTime(held, monotonic, wall) : null;
    if (at === null) {
      this.#returnUnspent([subject]);
      return 0;
    }
    return held.left >= cost ? at : 0;
  }

  /** Requests more permits if less than half of what the demand allows is left. */
  #refill(subject: Subject, meter: Meter, revision: number, monotonic: Millis, wall: Millis): void {
    if (subject.calls > 0 || monotonic < subject.notBefore || meter.window.kind !== 'sliding') return;
    const { seconds } = meter.window;
    const target = Math.min(meter.lease ?? 0, measureDemand(subject));
    const left = subject.held?.left ?? 0;
    if (left * 2 >= target) return;
    const permits = target - left;
    subject.calls += 1;
    const taken = this.options.leasing.take(revision, meter, permits).then(
      (slice) => {
        subject.calls -= 1;
        if (slice === null || slice.permits * 2 < permits) subject.notBefore = this.options.monotonic() + PAUSE;
        if (slice === null || slice.permits === 0) return;
        this.#mergeLease(subject, createHeldLease(slice, seconds, { revision, limit: meter.limit, monotonic, wall }));
      },
      () => {
        subject.calls -= 1;
        subject.notBefore = this.options.monotonic() + FAULT_PAUSE;
      },
    );
    this.#follow(taken);
  }

  /** Adds permits of the same slot. Others are returned to the store. */
  #mergeLease(subject: Subject, taken: HeldLease): void {
    const { held } = subject;
    if (held !== null) {
      const { slot, mark, revision, limit } = held;
      const isSame = slot === taken.slot && mark === taken.mark && revision === taken.revision && limit === taken.limit;
      if (isSame) taken.left += held.left;
      else this.#returnUnspent([subject]);
    }
    subject.held = taken;
  }

  #returnUnspent(subjects: readonly Subject[]): void {
    const unspent: Unspent[] = [];
    const busy: Subject[] = [];
    for (const subject of subjects) {
      const { key, held } = subject;
      subject.held = null;
      if (held === null || held.left === 0) continue;
      unspent.push({ key, slot: held.slot, permits: held.left, mark: held.mark });
      subject.calls += 1;
      busy.push(subject);
    }
    if (unspent.length === 0) return;
    const releaseSubjects = () => {
      for (const subject of busy) subject.calls -= 1;
    };
    // Permits that cannot be returned stay counted until their window ends.
    this.#follow(this.options.leasing.returnPermits(unspent).then(releaseSubjects, releaseSubjects));
  }

  #follow(call: Promise<void>): void {
    this.#calls.add(call);
    void call.finally(() => this.#calls.delete(call));
  }
}

const EMPTY = { used: 0, left: 0, slot: 0 };

function buildReadings(meters: readonly Meter[], subjects: readonly Subject[]): Reading[] {
  const readings: Reading[] = [];
  for (let i = 0; i < meters.length; i += 1) {
    const { limit, window } = meters[i] as Meter;
    const { used, left, slot } = subjects[i]?.held ?? EMPTY;
    const spent = used - left;
    const reset = findSlotExpiry(slot, window.kind === 'sliding' ? window.seconds : 0);
    readings.push({ limit, used: spent, remaining: Math.max(0, limit - spent), reset, retryAt: null });
  }
  return readings;
}

function measureDemand({ demand, before }: Subject): number {
  return Math.max(demand, before);
}
