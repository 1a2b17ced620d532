import type { Client, ResultSet } from '@libsql/client';
import { counterSlots } from '@/drizzle/counters-schema';
import { clearCounters, resetSlot, restoreSlots, TOUCH } from '@/lib/counters/change-statements';
import { buildCounterState } from '@/lib/counters/counter-state';
import { collectCounters, parseSlidingCounter, replayCounter, splitIndependent } from '@/lib/counters/remote/group';
import { buildSettlement } from '@/lib/counters/remote/settlement';
import {
  DECIDE,
  FORGET_AHEAD,
  KEYS,
  LOAD,
  READ,
  SETTLE,
  STEP_END,
  SWEEP,
  TICK,
} from '@/lib/counters/remote/statements';
import {
  type Commit,
  type CounterRef,
  type CounterStore,
  NO_SETTLEMENTS,
  type Settlement,
  StoreUnavailable,
} from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { runWithTimeout } from '@/lib/db/run-with-timeout';
import type { Counter, MonthCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt } from '@/lib/limiter/meter';
import { encodeWindow } from '@/lib/limiter/month-anchor';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

export interface RemoteCountersOptions {
  /** Client of the database that also holds the rules. The store never closes it. */
  client: Pick<Client, 'batch' | 'execute'>;
  /** Wall clock. It only paces the sweep. Counting uses the server's clock. */
  clock: () => Millis;
  wait: (milliseconds: Millis) => Promise<void>;
  random: () => number;
  /** Timeout of commands in milliseconds. 2,000 by default. */
  timeout?: Millis;
}

/**
 * Counters on a libSQL server (sqld, Turso). A group is one atomic batch and so one round trip. The batch fixes the
 * time, settles slots in its future, reads the revision and the counters, then decides and counts batch by batch
 * (`splitIndependent`). The server's decisions apply. `evaluateGroup` computes the verdicts again from the time and the
 * counters that the server has read.
 */
export class RemoteCounters implements CounterStore {
  readonly kind = 'remote';
  readonly #sweep: RemoteSweep;

  constructor(private readonly options: RemoteCountersOptions) {
    this.#sweep = new RemoteSweep(async (sql, args) => {
      const { rows, rowsAffected } = await this.#execute(sql, args);
      return { rows: rows.map((row) => Array.from(row)), changes: rowsAffected };
    }, options.clock);
  }

  /**
   * @throws RangeError like `evaluateGroup`
   * @throws StoreUnavailable; after a lost connection or a timeout the group may still have been counted
   */
  async commit(
    revision: number,
    attempts: readonly Attempt[],
    settlements: readonly Settlement[] = NO_SETTLEMENTS,
  ): Promise<Commit> {
    const { needed, windows } = collectCounters(attempts);
    const counters = JSON.stringify(needed);
    const decisions = splitIndependent(attempts).map((batch) => ({
      sql: DECIDE,
      args: [revision, JSON.stringify(batch)],
    }));
    const settlement = buildSettlement(revision, settlements);
    const args = [revision, counters];
    const preparations = [
      { sql: TICK, args: [revision] },
      ...settlement.statements,
      ...(needed.length === 0 ? [] : [SETTLE, FORGET_AHEAD].map((sql) => ({ sql, args }))),
    ];
    const results = await this.#call(() =>
      this.options.client.batch([...preparations, { sql: LOAD, args: [counters] }, ...decisions], 'write'),
    );
    const [current, now, stored] = parseJsonList(results[preparations.length]);
    if (typeof current === 'number' && current !== revision) return { kind: 'stale', revision: current };
    if (typeof current !== 'number' || typeof now !== 'number' || !Array.isArray(stored))
      throw new StoreUnavailable('The libSQL server did not decide the group.');
    const replayed = new Map<string, Counter>();
    for (const [i, [key, window]] of [...windows].entries()) replayed.set(key, replayCounter(stored[i], window, now));
    const { verdicts } = evaluateGroup(attempts, now, replayed);
    // The first statement sets the clock.
    return { kind: 'decided', now, verdicts, settled: settlement.read(results.slice(1)) };
  }

  async read(counters: readonly CounterRef[]) {
    const needed = counters.map(({ key, window }) => [key, encodeWindow(window)]);
    const [now, stored] = parseJsonList(await this.#execute(READ, [JSON.stringify(needed)]));
    if (typeof now !== 'number' || !Array.isArray(stored))
      throw new StoreUnavailable('The libSQL server did not answer the question.');
    return counters.map(({ key, window }, i) => {
      const slots: unknown = stored[i];
      const counter =
        window.kind === 'month'
          ? parseMonthCounter(slots, computeCalendarMonth(now, window.anchor))
          : parseSlidingCounter(slots);
      return buildCounterState(key, counter, window, now);
    });
  }

  async listKeys(prefix: string, limit: number): Promise<string[]> {
    const { rows } = await this.#execute(KEYS, [prefix, limit]);
    return rows.map((row) => String(row[0]));
  }

  clear: CounterStore['clear'] = (selection, kept) => clearCounters([counterSlots], selection, kept);

  resetUsage: CounterStore['resetUsage'] = resetSlot;

  restore: CounterStore['restore'] = restoreSlots;

  /** Does nothing, because the store reads the revision from the audit log in the same database. */
  async publish(_revision: number): Promise<void> {}

  sweep(budget: number): Promise<number> {
    return this.#sweep.run(budget);
  }

  async ping(): Promise<void> {
    await this.#execute(TOUCH, []);
  }

  async close(): Promise<void> {}

  #execute(sql: string, args: (string | number)[]): Promise<ResultSet> {
    return this.#call(() => this.options.client.execute({ sql, args }));
  }

  /** Repeats a call while the server is busy, because a busy server has done nothing. Other faults are not retried. */
  async #call<T>(call: () => Promise<T>): Promise<T> {
    const { wait, random, timeout = 2_000 } = this.options;
    const createTimeoutError = () => new StoreUnavailable('The libSQL server did not answer in time.');
    try {
      return await retryWhileBusy(() => runWithTimeout(call(), timeout, createTimeoutError), {
        wait,
        pause: (attempt) => Math.min(100, 5 * 2 ** attempt) * (0.5 + random()),
        isLast: (attempt) => attempt === 5,
      });
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      const what = isBusy(error) ? 'stays locked' : 'cannot be reached, or cannot write';
      throw new StoreUnavailable(`The libSQL server ${what}.`, { cause: error });
    }
  }
}

/** Parses the JSON array in the first cell of a result. */
function parseJsonList(result: ResultSet | undefined): unknown[] {
  const text = result?.rows[0]?.[0];
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : null;
  return Array.isArray(list) ? list : [];
}

function parseMonthCounter(slots: unknown, month: number): MonthCounter {
  const [slot]: unknown[] = Array.isArray(slots) ? slots : [];
  const [, hits, floor]: unknown[] = Array.isArray(slot) ? slot : [];
  return { kind: 'month', month, hits: Number(hits ?? 0), floor: Number(floor ?? 0) };
}

/** Runs one statement. @returns the cells of its rows, and the number of changed rows */
export type Execute = (sql: string, args: (string | number)[]) => Promise<{ rows: unknown[][]; changes: number }>;

/** Pause between two passes, in milliseconds. Providers bill by rows read. */
const REST = 60_000;

/**
 * Deletes expired slots without a dedicated index. A cursor moves along the primary key, and pauses after each pass.
 */
export class RemoteSweep {
  #after: [key: string, slot: number] = ['', -1];
  #resting: Millis | null = null;
  #running = false;

  constructor(
    private readonly execute: Execute,
    private readonly clock: () => Millis,
  ) {}

  /** Checks up to `budget` rows. @returns the number of deleted rows @throws StoreUnavailable */
  async run(budget: number): Promise<number> {
    const now = this.clock();
    if (this.#running || (this.#resting !== null && Math.abs(now - this.#resting) < REST)) return 0;
    this.#running = true;
    try {
      const [end] = (await this.execute(STEP_END, [...this.#after, budget])).rows;
      const [key, slot] = end ?? [];
      if (typeof key !== 'string' || typeof slot !== 'number') {
        this.#after = ['', -1];
        this.#resting = now;
        return 0;
      }
      const { changes } = await this.execute(SWEEP, [...this.#after, key, slot]);
      this.#after = [key, slot];
      return changes;
    } finally {
      this.#running = false;
    }
  }
}
