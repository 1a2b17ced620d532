import type { Place } from '@/lib/counters/embedded/cached-windows';
import type { Journal } from '@/lib/counters/embedded/journal';
import type { EmbeddedTables } from '@/lib/counters/embedded/tables';
import type { Millis } from '@/lib/units';

/** Thresholds and step sizes of folds. */
export interface FoldSizes {
  /** Journaled counters that start a fold. The more there are, the more of them share pages of the tables. */
  readonly counters: number;
  /** Journaled UTF-16 units that start a fold, however few counters they belong to. */
  readonly units: number;
  /** Counters per step, and journal rows deleted per step. */
  readonly step: number;
  readonly rows: number;
  /** Milliseconds after which other processes may fold, if one has started but not ended. */
  readonly lease: Millis;
}

const SIZES: FoldSizes = { counters: 600_000, units: 48 * 2 ** 20, step: 400, rows: 200, lease: 5_000 };
/** Sampled keys per part, to divide all keys evenly. */
const SAMPLE = 8;
/** Counters visited in one turn. */
const LOOKED_AT = 4_096;
/** Pause after each step, in milliseconds, so that requests come first. */
const PAUSE = 1;
/** Time without a new attempt after a fault, in milliseconds. */
const REST = 1_000;
/** Age in milliseconds at which journaled counters are folded, however few they are. */
const OLDEST = 10_000;

interface FoldOptions {
  sizes: Partial<FoldSizes> | undefined;
  /** Wall clock. */
  clock: () => Millis;
  /** Monotonic time, in milliseconds. */
  monotonic: () => Millis;
  wait: (milliseconds: Millis) => Promise<void>;
  /** Runs `work` in one immediate transaction with the journal caught up, once no other process holds the lock. */
  transaction: <T>(work: () => T) => Promise<T>;
}

/**
 * Moves journaled counters into the tables, in the order of their keys, so that counters on one page are written
 * together. It works in short transactions, with a pause after each. A journal row is deleted only when the tables
 * contain everything in it. If the process dies, the remaining rows are read again. They give the correct state,
 * whether or not the tables contain it.
 */
export class EmbeddedFold {
  readonly #sizes: FoldSizes;
  #running: Promise<void> | null = null;
  /** Earliest time of the next attempt. It is in the future after a fault. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #lastEnd = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly journal: Journal,
    private readonly tables: EmbeddedTables,
    private readonly options: FoldOptions,
  ) {
    this.#sizes = { ...SIZES, ...options.sizes };
  }

  /** Starts a fold if enough was journaled. Otherwise this costs one comparison. */
  begin(): void {
    if (this.#running !== null || !this.#isDue() || this.options.monotonic() < this.#notBefore) return;
    const fold = async () => {
      // Another process may have folded since.
      await this.#tidy();
      if (this.#isDue()) await this.#run();
    };
    // Decisions meet the same fault, and report it.
    this.#start(fold).catch(() => undefined);
  }

  #isDue(): boolean {
    const { counters, units } = this.#sizes;
    return this.journal.cached.unfoldedCount >= counters || this.journal.units >= units;
  }

  /** Folds if the last fold was long ago. @throws like `run` */
  async runWhenOld(): Promise<void> {
    if (this.options.monotonic() - this.#lastEnd >= OLDEST) await this.run();
  }

  /** Folds all but the newest row of the journal, unless another process does. @throws the errors of the driver */
  run(): Promise<void> {
    return this.#running ?? this.#start(() => this.#run());
  }

  #start(work: () => Promise<void>): Promise<void> {
    this.#running = work().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  #tidy(): Promise<void> {
    return this.#visitInTurns(this.journal.tidy(), () => undefined);
  }

  /** Visits many counters, with pauses. */
  async #visitInTurns<T>(counters: Iterable<T>, visit: (counter: T) => void): Promise<void> {
    let visited = 0;
    for (const counter of counters) {
      visit(counter);
      visited += 1;
      if (visited % LOOKED_AT === 0) await this.options.wait(PAUSE);
    }
  }

  async #run(): Promise<void> {
    const { journal, tables } = this;
    const { cached } = journal;
    const { clock, monotonic, transaction } = this.options;
    if (journal.newestPosition - 1 <= cached.folded) return;
    this.#notBefore = monotonic() + REST;
    const until = await transaction(() => {
      const last = journal.newestPosition - 1;
      return last > cached.folded && tables.claimFold(clock(), this.#sizes.lease) ? last : null;
    });
    if (until === null) return;
    const unfolded: Place[] = [];
    await this.#visitInTurns(cached.listUnfoldedPlaces(until), (place) => {
      if (place !== null) unfolded.push(place);
    });
    for await (const keys of this.#sortInParts(unfolded)) {
      await transaction(() => tables.fold(cached.selectToFold(keys, until), clock()));
      cached.release(keys, until);
      await this.options.wait(PAUSE);
    }
    for (const parts of collectParts(journal.settled.listParts(until, this.#sizes.step), this.#sizes.step)) {
      await transaction(() => journal.settled.fold(parts, clock()));
      await this.options.wait(PAUSE);
    }
    while (cached.folded < until) {
      const end = Math.min(until, cached.folded + this.#sizes.rows);
      await transaction(() => {
        tables.removeRows(end);
        if (end === until) tables.endFold();
      });
      journal.recordFolded(end);
      await this.options.wait(PAUSE);
    }
    await this.#tidy();
    this.#lastEnd = monotonic();
    this.#notBefore = this.#lastEnd;
  }

  /**
   * Sorts the keys of places into parts of about `step` keys. Each part is sorted, and follows the previous one. No
   * turn takes long.
   */
  async *#sortInParts(places: readonly Place[]): AsyncIterable<string[]> {
    const readKey = (place: Place) => this.journal.cached.readPlaceKey(place);
    const sample = places
      .filter((_, i) => i % Math.ceil(this.#sizes.step / SAMPLE) === 0)
      .map(readKey)
      .sort();
    const ends = sample.filter((_, i) => i % SAMPLE === SAMPLE - 1);
    const parts: Place[][] = Array.from({ length: ends.length + 1 }, () => []);
    await this.#visitInTurns(places, (place) => parts[findPart(readKey(place), ends)]?.push(place));
    for (const part of parts) if (part.length > 0) yield part.map(readKey).sort();
  }
}

/** Collects parts of ids for one step each. */
function* collectParts<T extends { ids: readonly string[] }>(parts: Iterable<T>, size: number): Iterable<T[]> {
  let step: T[] = [];
  let ids = 0;
  for (const part of parts) {
    step.push(part);
    ids += part.ids.length;
    if (ids < size) continue;
    yield step;
    step = [];
    ids = 0;
  }
  if (step.length > 0) yield step;
}

/** Returns the first part whose end comes after the key. */
function findPart(key: string, ends: readonly string[]): number {
  let low = 0;
  for (let high = ends.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
