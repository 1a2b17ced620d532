import type Libsql from 'libsql';
import { counterMonths, counterWindows } from '@/drizzle/counters-schema';
import { clearCounters, resetMonth } from '@/lib/counters/change-statements';
import { counterState } from '@/lib/counters/counter-state';
import { EmbeddedSweep } from '@/lib/counters/embedded/sweep';
import { EmbeddedTables } from '@/lib/counters/embedded/tables';
import { type Commit, type CounterRef, type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { emptyCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt } from '@/lib/limiter/meter';
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
  /** From 0 to below 1. */
  random: () => number;
  /** How long a call is repeated while other processes hold the write lock, in milliseconds; 2,000 by default. */
  busyDeadline?: Millis;
}

/** The longest pause between two tries at the lock, in milliseconds. */
const LONGEST_PAUSE = 16;

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
    this.#sweep = new EmbeddedSweep(options);
  }

  /**
   * @throws RangeError as `evaluateGroup`
   * @throws StoreUnavailable when the file cannot be read or written, or stays locked beyond the deadline
   */
  commit(revision: number, attempts: readonly Attempt[]): Promise<Commit> {
    return this.#run(() => this.#tables.transaction(() => this.#decide(revision, attempts)));
  }

  #decide(revision: number, attempts: readonly Attempt[]): Commit {
    const now = this.options.clock();
    const stored = this.#tables.load(
      attempts.flatMap(({ meters }) => meters),
      now,
    );
    if (stored.revision !== revision) return { kind: 'stale', revision: stored.revision };
    const { verdicts, changed } = evaluateGroup(attempts, now, stored.counters);
    this.#tables.save(changed);
    return { kind: 'decided', now, verdicts };
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

  clear: CounterStore['clear'] = (selection) => clearCounters([counterWindows, counterMonths], selection);

  resetUsage: CounterStore['resetUsage'] = (key) => resetMonth(key, this.options.clock());

  /** The revision is read from the audit log in the same file. */
  async publish(_revision: number): Promise<void> {}

  /** Looks at up to `budget` rows in short steps, from where the last call ended. @throws StoreUnavailable */
  sweep(budget: number): Promise<number> {
    return this.#sweep.run(budget);
  }

  ping(): Promise<void> {
    return this.#run(() => this.#tables.transaction(() => this.#tables.touch()));
  }

  async close(): Promise<void> {}

  async #run<T>(work: () => T): Promise<T> {
    const { monotonic, wait, random, busyDeadline = 2_000 } = this.options;
    const start = monotonic();
    try {
      return await retryWhileBusy(work, {
        wait,
        pause: (attempt) => 1 + random() * Math.min(LONGEST_PAUSE, 2 ** (attempt + 1)),
        isLast: () => monotonic() - start >= busyDeadline,
      });
    } catch (error) {
      if (error instanceof RangeError) throw error;
      const what = isBusy(error) ? 'stay locked by another process' : 'cannot be read or written';
      throw new StoreUnavailable(`The counters ${what}.`, { cause: error });
    }
  }
}
