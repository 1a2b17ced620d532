import type Libsql from 'libsql';
import { clearStatements, forgiveStatement } from '@/lib/counters/change-statements';
import { counterState } from '@/lib/counters/counter-state';
import { EmbeddedSweep } from '@/lib/counters/embedded/sweep';
import { EmbeddedTables } from '@/lib/counters/embedded/tables';
import {
  type Commit,
  type CounterChange,
  type CounterSelection,
  type CounterState,
  type CounterStore,
  StoreUnavailable,
} from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { emptyCounter } from '@/lib/limiter/counter';
import { judge } from '@/lib/limiter/evaluate-group';
import type { Attempt, Window } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

export interface EmbeddedCountersOptions {
  /**
   * The connection of the whole process, in WAL mode, with a short `busy_timeout` (it blocks the event loop: 10 ms).
   * The store never closes it.
   */
  database: Libsql.Database;
  /** Wall clock. */
  clock: () => Millis;
  /** A clock that never goes back, in milliseconds. */
  monotonic: () => number;
  wait: (milliseconds: number) => Promise<void>;
  /** From 0 to below 1. */
  random: () => number;
  /** How long a call keeps trying while other processes hold the write lock, in milliseconds; 2,000 by default. */
  busyDeadline?: number;
}

/** The longest pause between two tries at the lock, in milliseconds. */
const LONGEST_PAUSE = 16;

/**
 * Counters in the embedded libSQL file, through `libsql`'s synchronous calls. A group is one immediate transaction that
 * begins and ends within one turn of the event loop: read the epoch and the group's counters in one statement, judge,
 * write what changed in one statement, commit. Nothing is kept between groups, so every process on the file sees the
 * same counters. Only waiting for another process's lock is asynchronous.
 */
export class EmbeddedCounters implements CounterStore {
  readonly kind = 'embedded';
  readonly #options: EmbeddedCountersOptions;
  readonly #tables: EmbeddedTables;
  readonly #sweep: EmbeddedSweep;

  constructor(options: EmbeddedCountersOptions) {
    this.#options = options;
    this.#tables = new EmbeddedTables(options.database);
    this.#sweep = new EmbeddedSweep(options);
  }

  /**
   * @throws RangeError for an attempt that `judge` cannot judge
   * @throws StoreUnavailable when the file cannot be read or written, or stays locked beyond the deadline
   */
  commit(epoch: number, attempts: readonly Attempt[]): Promise<Commit> {
    return this.#whenFree(() => this.#tables.transaction(() => this.#decide(epoch, attempts)));
  }

  #decide(epoch: number, attempts: readonly Attempt[]): Commit {
    const now = this.#options.clock();
    const held = this.#tables.load(
      attempts.flatMap(({ meters }) => meters),
      now,
    );
    if (held.epoch !== epoch) return { kind: 'stale', epoch: held.epoch };
    const { verdicts, changed } = judge(attempts, now, held.counters);
    this.#tables.save(changed);
    return { kind: 'decided', now, verdicts };
  }

  read(counters: readonly { key: string; window: Window }[]): Promise<CounterState[]> {
    return this.#whenFree(() => {
      const now = this.#options.clock();
      const held = this.#tables.load(counters, now).counters;
      return counters.map(({ key, window }) => {
        return counterState(key, held.get(key) ?? emptyCounter(window, now), window, now);
      });
    });
  }

  keys(prefix: string, limit: number): Promise<string[]> {
    return this.#whenFree(() => this.#tables.keys(prefix, limit, this.#options.clock()));
  }

  clear(selection: CounterSelection): CounterChange {
    return { kind: 'statements', statements: clearStatements(selection) };
  }

  forgive(key: string): CounterChange {
    return { kind: 'statements', statements: [forgiveStatement(key, this.#options.clock())] };
  }

  /** The epoch is the newest record of the audit log in the same file: there is nothing to tell. */
  async publish(_epoch: number): Promise<void> {}

  /** Looks at up to `budget` rows in short steps, from where the last call ended. @throws StoreUnavailable */
  sweep(budget: number): Promise<number> {
    return this.#sweep.run(budget);
  }

  ping(): Promise<void> {
    return this.#whenFree(() => this.#tables.transaction(() => this.#tables.touch()));
  }

  async close(): Promise<void> {}

  /** Runs synchronous work, again and again with pauses while another process holds the lock. */
  async #whenFree<T>(work: () => T): Promise<T> {
    const { monotonic, wait, random, busyDeadline = 2_000 } = this.#options;
    const start = monotonic();
    for (let pause = 2; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        return work();
      } catch (error) {
        if (error instanceof RangeError) throw error;
        if (!isBusy(error)) throw new StoreUnavailable('The counters cannot be read or written.', { cause: error });
        if (monotonic() - start >= busyDeadline) {
          throw new StoreUnavailable('The counters stay locked by another process.', { cause: error });
        }
        await wait(1 + random() * pause);
      }
    }
  }
}
