import type Libsql from 'libsql';
import { counterMonths, counterWindows } from '@/drizzle/counters-schema';
import { clearCounters, resetMonth, restoreRows } from '@/lib/counters/change-statements';
import { buildCounterState } from '@/lib/counters/counter-state';
import { EmbeddedFold, type FoldSizes } from '@/lib/counters/embedded/fold';
import { Journal } from '@/lib/counters/embedded/journal';
import type { JournalRow, OnUnreadable } from '@/lib/counters/embedded/journal-rows';
import { type GroupInput, lookUpGroup } from '@/lib/counters/embedded/look-up-group';
import { type Settled, selectSettled, selectSettledByReset, settle } from '@/lib/counters/embedded/settle-statements';
import { SettledIds } from '@/lib/counters/embedded/settled-ids';
import type { SettledList } from '@/lib/counters/embedded/settled-list';
import { EmbeddedSweep } from '@/lib/counters/embedded/sweep';
import { EmbeddedTables } from '@/lib/counters/embedded/tables';
import {
  type Commit,
  type CounterChange,
  type CounterRef,
  type CounterSelection,
  type CounterStore,
  NO_SETTLEMENTS,
  type Settlement,
  StoreUnavailable,
} from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { type ChangedCounter, createEmptyCounter, type LookedUpCounter } from '@/lib/limiter/counter';
import type { Attempt } from '@/lib/limiter/meter';
import type { Millis } from '@/lib/units';

export interface EmbeddedCountersOptions {
  /**
   * Connection of the whole process, in WAL mode, with a short `busy_timeout` of 10 ms, because it blocks the event
   * loop. The store never closes it.
   */
  database: Libsql.Database;
  /** Wall clock. */
  clock: () => Millis;
  /** In milliseconds. */
  monotonic: () => Millis;
  wait: (milliseconds: Millis) => Promise<void>;
  random: () => number;
  /** Time for which a call is repeated while other processes hold the write lock, in milliseconds. 2,000 by default. */
  busyDeadline?: Millis;
  /** Smaller sizes for tests. */
  foldSizes?: Partial<FoldSizes>;
  /** Cached windows that are kept although the tables contain them. A million by default. */
  remembered?: number;
  /** Windows that stay objects before others are packed. 24,000 by default. */
  unpacked?: number;
  onUnreadable?: OnUnreadable;
}

/**
 * Stores counters in the embedded libSQL file, through synchronous calls of `libsql`. A group is one immediate
 * transaction, within one turn of the event loop. It reads the rows that other processes have journaled, and the
 * group's counters that are not cached. It evaluates the group, appends the changes as one journal row, and commits. So
 * a group writes a page or two, however many counters exist, and all processes on the file decide by the same counters.
 * `EmbeddedFold` later moves journaled counters into the tables. Only waiting for another process's lock is
 * asynchronous.
 *
 * While no other process decides, a group is evaluated from the cache and appended by a single statement. That
 * statement does nothing if the journal has grown or the rules have changed. Then the transaction runs instead.
 */
export class EmbeddedCounters implements CounterStore {
  readonly kind = 'embedded';
  readonly #journal: Journal;
  readonly #tables: EmbeddedTables;
  readonly #fold: EmbeddedFold;
  readonly #sweep: EmbeddedSweep;
  /** True if the last transaction found no journal rows of another process. */
  #isOnlyProcess = false;

  constructor(private readonly options: EmbeddedCountersOptions) {
    const { clock, monotonic, wait, foldSizes: sizes, remembered = 1_000_000, unpacked } = options;
    const onUnreadable = options.onUnreadable ?? (() => undefined);
    this.#tables = new EmbeddedTables(options.database, onUnreadable);
    this.#journal = new Journal(remembered, unpacked, new SettledIds(this.#tables), onUnreadable);
    this.#fold = new EmbeddedFold(this.#journal, this.#tables, {
      ...{ clock, monotonic, wait, sizes },
      transaction: (work) => this.#run(() => this.#runTransaction(() => work())),
    });
    this.#sweep = new EmbeddedSweep(this.#tables, options);
  }

  /**
   * @throws RangeError like `evaluateGroup`
   * @throws StoreUnavailable if the file cannot be read or written, or stays locked beyond the deadline
   */
  commit(
    revision: number,
    attempts: readonly Attempt[],
    settlements: readonly Settlement[] = NO_SETTLEMENTS,
  ): Promise<Commit> {
    return this.#run((): Commit => {
      const now = this.options.clock();
      const input = { attempts, settlements, now };
      const commit =
        (this.#isOnlyProcess ? this.#decideFromCache(revision, input) : null) ?? this.#decide(revision, input);
      this.#fold.begin();
      return commit;
    });
  }

  #decide(revision: number, input: GroupInput): Commit {
    return this.#runChange((present, change): Commit => {
      if (present !== revision) return { kind: 'stale', revision: present };
      const { now } = input;
      const { group, loaded, settled, ids } = lookUpGroup(input, this.#journal.settled, (counters, at) =>
        this.#load(counters, at),
      );
      this.#journal.cacheCounters(loaded);
      const verdicts = group.evaluate(now);
      change(group.listChangedCounters(now), ids);
      return { kind: 'decided', now, verdicts, settled };
    });
  }

  /**
   * Decides from the cached journal. Returns null if the journal has grown or the rules have changed. The tables are
   * read before that check. This is safe, because they change only together with the journal, except for counters that
   * no window covers.
   */
  #decideFromCache(revision: number, input: GroupInput): Commit | null {
    const journal = this.#journal;
    const { now } = input;
    const { group, loaded, settled, ids } = lookUpGroup(input, this.#journal.settled, (counters, at) =>
      this.#load(counters, at),
    );
    const verdicts = group.evaluate(now);
    const changed = group.listChangedCounters(now);
    const row = journal.createRow(changed, ids);
    const isPresent =
      row === null ? this.#tables.isPresent(journal.newestPosition, revision) : this.#append(row, revision);
    if (!isPresent) return null;
    journal.cacheCounters(loaded);
    if (row !== null) journal.recordAppended(row, changed, ids);
    return { kind: 'decided', now, verdicts, settled };
  }

  #append(row: JournalRow, revision: number): boolean {
    try {
      return this.#tables.appendToPresent(row, revision);
    } catch (error) {
      // Another process holds the lock.
      this.#isOnlyProcess = false;
      throw error;
    }
  }

  read(counters: readonly CounterRef[]) {
    return this.#run(() => {
      const now = this.options.clock();
      const wanted = counters.map(({ key, window }): LookedUpCounter => ({ key, window, stored: undefined }));
      this.#runTransaction(() => this.#load(wanted, now), 'begin');
      return wanted.map(({ key, window, stored }) => {
        return buildCounterState(key, stored ?? createEmptyCounter(window, now), window, now);
      });
    });
  }

  listKeys(prefix: string, limit: number): Promise<string[]> {
    const list = () => {
      const now = this.options.clock();
      const cached = new Map(this.#journal.cached.iterateKeys(prefix, now));
      const stored = this.#tables.listKeys(prefix, limit + cached.size, now);
      const keys = [
        ...stored.filter((key) => !cached.has(key)),
        ...[...cached.keys()].filter((key) => cached.get(key)),
      ];
      return keys.sort().slice(0, limit);
    };
    return this.#run(() => this.#runTransaction(list, 'begin'));
  }

  clear: CounterStore['clear'] = (selection, kept) => {
    const cleared = clearCounters([counterWindows, counterMonths], selection, kept);
    return this.#settleFirst(selectSettled(selection), selection, cleared);
  };

  resetUsage: CounterStore['resetUsage'] = (counter, kept) => {
    const selection = { keys: [counter.key] };
    return this.#settleFirst(selectSettled(selection), selection, resetMonth(counter, this.options.clock(), kept));
  };

  restore: CounterStore['restore'] = (seq) => {
    const selection = { keys: this.#tables.listClearedKeys(seq) };
    return this.#settleFirst(selectSettledByReset(seq), selection, restoreRows(seq));
  };

  /** The revision is read from the audit log in the same file. */
  async publish(_revision: number): Promise<void> {}

  /**
   * Checks up to `budget` rows in short steps, from where the last call ended. It also folds counters that were
   * journaled long ago.
   * @throws StoreUnavailable
   */
  async sweep(budget: number): Promise<number> {
    await this.#fold.runWhenOld();
    return this.#sweep.run(budget);
  }

  /** Moves journaled counters into the tables, in short steps. @throws StoreUnavailable */
  fold(): Promise<void> {
    return this.#fold.run();
  }

  ping(): Promise<void> {
    return this.#run(() => this.#runTransaction(() => this.#tables.testAccess()));
  }

  async close(): Promise<void> {}

  /** Moves journaled counters into the tables before a change, within its transaction. */
  #settleFirst(settled: Settled, selection: CounterSelection, change: CounterChange): CounterChange {
    if (change.kind !== 'statements') return change;
    const cached = { upTo: this.#journal.newestPosition, ...this.#journal.listUnfolded(selection) };
    return { kind: 'statements', statements: [...settle(settled, cached), ...change.statements] };
  }

  /** Looks up counters. @returns those that were not cached, as the tables contain them */
  #load(counters: Iterable<LookedUpCounter>, now: Millis): readonly LookedUpCounter[] {
    const missing: LookedUpCounter[] = [];
    for (const counter of counters) {
      counter.stored = this.#journal.find(counter, now);
      if (counter.stored === undefined) missing.push(counter);
    }
    if (missing.length > 0) {
      const found = this.#tables.load(missing, now);
      for (const counter of missing) counter.stored = found.get(counter.key);
    }
    return missing;
  }

  /** Runs a transaction in which the whole journal is cached. @param work receives the revision of the rules */
  #runTransaction<T>(work: (revision: number) => T, begin?: 'begin'): T {
    return this.#tables.runImmediate(() => {
      const { revision, ...ends } = this.#tables.readJournalState();
      const { newestPosition: before } = this.#journal;
      this.#journal.catchUp(ends, (position) => this.#tables.readRowsAfter(position));
      this.#isOnlyProcess = this.#journal.newestPosition === before;
      return work(revision);
    }, begin);
  }

  /** Runs a transaction that may append one row. The row is cached after the commit. */
  #runChange<T>(
    work: (revision: number, change: (changed: readonly ChangedCounter[], settled: SettledList) => void) => T,
  ): T {
    let commit = () => {};
    const result = this.#runTransaction((revision) =>
      work(revision, (changed, settled) => {
        const row = this.#journal.createRow(changed, settled);
        if (row === null) return;
        this.#tables.append(row);
        commit = () => this.#journal.recordAppended(row, changed, settled);
      }),
    );
    commit();
    return result;
  }

  /** The first try creates only one promise. More of them would cost a decision as much as its evaluation. */
  #run<T>(work: () => T): Promise<T> {
    const start = this.options.monotonic();
    try {
      return Promise.resolve(work());
    } catch (error) {
      return this.#retry(work, start, error);
    }
  }

  async #retry<T>(work: () => T, start: Millis, first: unknown): Promise<T> {
    const { monotonic, wait, random, busyDeadline = 2_000 } = this.options;
    const isLast = () => monotonic() - start >= busyDeadline;
    const pause = (tries: number) => 1 + random() * Math.min(16, 2 ** (tries + 1));
    try {
      if (!isBusy(first) || isLast()) throw first;
      await wait(pause(0));
      return await retryWhileBusy(work, { wait, pause: (attempt) => pause(attempt + 1), isLast });
    } catch (error) {
      if (error instanceof RangeError) throw error;
      const what = isBusy(error) ? 'stay locked by another process' : 'cannot be read or written';
      throw new StoreUnavailable(`The counters ${what}.`, { cause: error });
    }
  }
}
