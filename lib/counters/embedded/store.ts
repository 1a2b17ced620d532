import type Libsql from 'libsql';
import { counterMonths, counterWindows } from '@/drizzle/counters-schema';
import { clearCounters, resetMonth, restoreRows } from '@/lib/counters/change-statements';
import { counterState } from '@/lib/counters/counter-state';
import { EmbeddedTables } from '@/lib/counters/embedded/tables';
import { type Charge, type Commit, type CounterRef, type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { emptyCounter, takenBack } from '@/lib/limiter/counter';
import { type ChangedCounter, evaluateGroup } from '@/lib/limiter/evaluate-group';
import { type Attempt, countersOf } from '@/lib/limiter/meter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

export interface EmbeddedCountersOptions {
  /**
   * The connection of the whole process, in WAL mode, with a short `busy_timeout` (it blocks the event loop: 10 ms).
   * The store never closes it.
   */
  database: Libsql.Database;
  /** Wall clock. */
  clock: () => Millis;
  /** In milliseconds. */
  monotonic: () => Millis;
  wait: (milliseconds: Millis) => Promise<void>;
  random: () => number;
  /** How long a call is repeated while other processes hold the write lock, in milliseconds; 2,000 by default. */
  busyDeadline?: Millis;
}

/**
 * Counters in the embedded libSQL file, through `libsql`'s synchronous calls. A group is one immediate transaction that
 * begins and ends within one turn of the event loop: read the revision and the group's counters in one statement,
 * evaluate, write the changed counters in one statement, commit. Nothing is kept between groups, so every process on
 * the file sees the same counters. Only waiting for another process's lock is asynchronous.
 */
export class EmbeddedCounters implements CounterStore {
  readonly kind = 'embedded';
  readonly #tables: EmbeddedTables;
  readonly #sweep: EmbeddedSweep;

  constructor(private readonly options: EmbeddedCountersOptions) {
    this.#tables = new EmbeddedTables(options.database);
    this.#sweep = new EmbeddedSweep(this.#tables, options);
  }

  /**
   * @throws RangeError as `evaluateGroup`
   * @throws StoreUnavailable when the file cannot be read or written, or stays locked beyond the deadline
   */
  commit(revision: number, attempts: readonly Attempt[]): Promise<Commit> {
    const decide = (): Commit => {
      const now = this.options.clock();
      const stored = this.#tables.load(countersOf(attempts), now);
      if (stored.revision !== revision) return { kind: 'stale', revision: stored.revision };
      const { verdicts, changed } = evaluateGroup(attempts, now, stored.counters);
      this.#tables.save(changed);
      return { kind: 'decided', now, verdicts };
    };
    return this.#run(() => this.#tables.transaction(decide));
  }

  read(counters: readonly CounterRef[]) {
    return this.#run(() => {
      const now = this.options.clock();
      const stored = this.#tables.load(counters, now).counters;
      return counters.map(({ key, window }) => {
        return counterState(key, stored.get(key) ?? emptyCounter(window, now), window, now);
      });
    });
  }

  listKeys(prefix: string, limit: number): Promise<string[]> {
    return this.#run(() => this.#tables.listKeys(prefix, limit, this.options.clock()));
  }

  clear: CounterStore['clear'] = (selection, kept) => clearCounters([counterWindows, counterMonths], selection, kept);

  resetUsage: CounterStore['resetUsage'] = (counter, kept) => resetMonth(counter, this.options.clock(), kept);

  restore: CounterStore['restore'] = restoreRows;

  refund(id: string, charges: readonly Charge[]): Promise<boolean> {
    const takeBack = (): boolean => {
      const now = this.options.clock();
      if (!this.#tables.rememberRefund(id, now)) return false;
      for (const { key, window, at, cost } of charges) {
        // By its own time: a month may have ended since.
        const counter = this.#tables.load([{ key, window }], at).counters.get(key);
        if (counter === undefined) continue;
        const changed: ChangedCounter = { counter: takenBack(counter, window, at, cost), window };
        this.#tables.save(new Map([[key, changed]]));
      }
      return true;
    };
    return this.#run(() => this.#tables.transaction(takeBack));
  }

  /** The revision is read from the audit log in the same file. */
  async publish(_revision: number): Promise<void> {}

  /** Looks at up to `budget` rows in short steps, from where the last call ended. @throws StoreUnavailable */
  sweep(budget: number): Promise<number> {
    return this.#sweep.run(budget);
  }

  ping(): Promise<void> {
    return this.#run(() => this.#tables.transaction(() => this.#tables.readAndWrite()));
  }

  async close(): Promise<void> {}

  async #run<T>(work: () => T): Promise<T> {
    const { monotonic, wait, random, busyDeadline = 2_000 } = this.options;
    const start = monotonic();
    try {
      return await retryWhileBusy(work, {
        wait,
        pause: (attempt) => 1 + random() * Math.min(16, 2 ** (attempt + 1)),
        isLast: () => monotonic() - start >= busyDeadline,
      });
    } catch (error) {
      if (error instanceof RangeError) throw error;
      const what = isBusy(error) ? 'stay locked by another process' : 'cannot be read or written';
      throw new StoreUnavailable(`The counters ${what}.`, { cause: error });
    }
  }
}

/** Rows of one step: these take about a millisecond; fewer where they take long. */
const LARGEST_STEP = 500;
const SMALLEST_STEP = 20;
/** A step that took longer, in milliseconds, is followed by one of half its size. */
const LONG = 5;
/** Pause between two steps, in milliseconds: requests come first. */
const PAUSE = 5;

/** The tables in the order of a pass; a row whose `age` is up to `bound` is deleted. 13 months stay for the history. */
const TABLES = [
  { name: 'counter_windows', age: 'expires', bound: (now: Millis) => now },
  { name: 'counter_months', age: 'month', bound: (now: Millis) => monthAt(now) - 13 },
] as const;

/**
 * Deletes counters that no window sees any more, without an index for it: a cursor walks along the primary key, a few
 * hundred rows at a time, each step a short transaction of its own with a pause after it.
 */
export class EmbeddedSweep {
  #table = 0;
  #after = '';
  #running = false;
  #rows = LARGEST_STEP;

  constructor(
    private readonly tables: EmbeddedTables,
    private readonly options: EmbeddedCountersOptions,
  ) {}

  /**
   * Looks at up to `budget` rows, or the rest of the pass where that is less; the next call continues from there. Ends
   * early while another process holds the lock, and does nothing while an earlier call is running.
   * @returns how many rows were deleted
   * @throws StoreUnavailable
   */
  async run(budget: number): Promise<number> {
    if (this.#running) return 0;
    this.#running = true;
    try {
      let deleted = 0;
      for (let seen = 0; seen < budget; ) {
        if (seen > 0) await this.options.wait(PAUSE);
        const rows = Math.min(this.#rows, budget - seen);
        const start = this.options.monotonic();
        const step = this.#step(rows);
        const long = this.options.monotonic() - start > LONG;
        this.#rows = long ? Math.max(SMALLEST_STEP, this.#rows >> 1) : Math.min(LARGEST_STEP, this.#rows * 2);
        seen += rows;
        deleted += step.deleted;
        if (step.done) break;
      }
      return deleted;
    } finally {
      this.#running = false;
    }
  }

  /** `done` at the end of a pass, and where nothing can be done. */
  #step(rows: number): { deleted: number; done: boolean } {
    const { database, clock } = this.options;
    const table = TABLES[this.#table];
    if (!table || !database.open) return { deleted: 0, done: true };
    const { name, age, bound } = table;
    try {
      const end = `select max(key) from (select key from ${name} where key > ? order by key limit ?)`;
      const row = database.prepare(end).raw().get(this.#after, rows);
      const last: unknown = Array.isArray(row) ? row[0] : null;
      if (typeof last !== 'string') {
        this.#after = '';
        this.#table = (this.#table + 1) % TABLES.length;
        return { deleted: 0, done: this.#table === 0 };
      }
      const remove = `delete from ${name} where key > ? and key <= ? and ${age} <= ?`;
      const { changes } = this.tables.transaction(() => {
        return database.prepare(remove).run(this.#after, last, bound(clock()));
      });
      this.#after = last;
      return { deleted: changes, done: false };
    } catch (error) {
      if (isBusy(error)) return { deleted: 0, done: true };
      throw new StoreUnavailable('Old counters cannot be deleted.', { cause: error });
    }
  }
}
