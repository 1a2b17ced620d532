import type { Place } from '@/lib/counters/embedded/cached-windows';
import type { Journal } from '@/lib/counters/embedded/journal';
import type { EmbeddedTables } from '@/lib/counters/embedded/tables';
import type { Millis } from '@/lib/units';

/** When counters are folded, and how many at a time. */
export interface FoldSizes {
  /** Counters that are journaled before they are folded: the more, the more of them share pages of the tables. */
  readonly counters: number;
  /** UTF-16 units that are journaled before they are folded, however few counters they are of. */
  readonly units: number;
  /** Counters of one step, and rows of the journal that go in one. */
  readonly step: number;
  readonly rows: number;
  /** Milliseconds after which other processes fold, where one has not ended. */
  readonly lease: Millis;
}

const SIZES: FoldSizes = { counters: 600_000, units: 48 * 2 ** 20, step: 400, rows: 200, lease: 5_000 };
/** Keys looked at for each part, to divide all of them evenly. */
const SAMPLE = 8;
/** Counters that are looked at in one turn. */
const LOOKED_AT = 4_096;
/** Pause after each step, in milliseconds: requests come first. */
const PAUSE = 1;
/** After a fault, none is tried for so long, in milliseconds. */
const REST = 1_000;
/** What was journaled reaches the tables after this time, in milliseconds, however little it is. */
const OLDEST = 10_000;

interface FoldOptions {
  sizes: Partial<FoldSizes> | undefined;
  /** Wall clock. */
  clock: () => Millis;
  /** In milliseconds. */
  monotonic: () => Millis;
  wait: (milliseconds: Millis) => Promise<void>;
  /** Runs `work` in one immediate transaction, with the journal caught up, once no other process has the lock. */
  transaction: <T>(work: () => T) => Promise<T>;
}

/**
 * Moves what is journaled into the tables, in the order of their keys, so that counters of one page are written together.
 * In short transactions with a pause after each. A row of the journal goes once the tables have all that it says, in the
 * same transaction that moves the end of what is folded: whenever the process dies, what is in the journal is read again
 * and says what was true last, whether or not the tables have it.
 */
export class EmbeddedFold {
  readonly #sizes: FoldSizes;
  #running: Promise<void> | null = null;
  /** After a fault. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #lastEnd = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly journal: Journal,
    private readonly tables: EmbeddedTables,
    private readonly options: FoldOptions,
  ) {
    this.#sizes = { ...SIZES, ...options.sizes };
  }

  /** Begins to fold where enough was journaled. Costs a comparison where there was not. */
  begin(): void {
    if (this.#running !== null || !this.#isDue() || this.options.monotonic() < this.#notBefore) return;
    const fold = async () => {
      // Another process may have folded since.
      await this.#tidy();
      if (this.#isDue()) await this.#run();
    };
    // What fails here fails for decisions as well, which say so.
    this.#start(fold).catch(() => undefined);
  }

  #isDue(): boolean {
    const { counters, units } = this.#sizes;
    return this.journal.cached.unfolded >= counters || this.journal.units >= units;
  }

  /** Folds what has waited for long. @throws as `run` */
  async runWhenOld(): Promise<void> {
    if (this.options.monotonic() - this.#lastEnd >= OLDEST) await this.run();
  }

  /** Folds all but the newest row of the journal, unless another process does. @throws as the driver */
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

  /** Goes through many counters with pauses. */
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
    if (journal.seen - 1 <= cached.folded) return;
    this.#notBefore = monotonic() + REST;
    const until = await transaction(() => {
      const last = journal.seen - 1;
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

  /** The keys of places in parts of about `step`, each in order and after the one before, without a long turn. */
  async *#sortInParts(places: readonly Place[]): AsyncIterable<string[]> {
    const key = (place: Place) => this.journal.cached.keyAt(place);
    const sample = places
      .filter((_, i) => i % Math.ceil(this.#sizes.step / SAMPLE) === 0)
      .map(key)
      .sort();
    const ends = sample.filter((_, i) => i % SAMPLE === SAMPLE - 1);
    const parts: Place[][] = Array.from({ length: ends.length + 1 }, () => []);
    await this.#visitInTurns(places, (place) => parts[findPart(key(place), ends)]?.push(place));
    for (const part of parts) if (part.length > 0) yield part.map(key).sort();
  }
}

/** The first part whose end comes after the key. */
function findPart(key: string, ends: readonly string[]): number {
  let low = 0;
  for (let high = ends.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
