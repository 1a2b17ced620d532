import { randomUUID } from 'node:crypto';
import type { Client, ResultSet } from '@libsql/client';
import { counterSlots } from '@/drizzle/counters-schema';
import { clearCounters, resetSlot, restoreSlots, TOUCH } from '@/lib/counters/change-statements';
import { toCounterState } from '@/lib/counters/counter-state';
import { collectCounters, replayCounter, splitIndependent, toSlidingCounter } from '@/lib/counters/remote/group';
import {
  ADD,
  DECIDE,
  FORGET_AHEAD,
  FORGET_SETTLED,
  KEYS,
  LOAD,
  READ,
  REMEMBER_SETTLEMENT,
  SETTLE,
  STEP_END,
  SWEEP,
  TAKE_BACK,
  TICK,
  TICK_ALWAYS,
} from '@/lib/counters/remote/statements';
import { type Charge, type Commit, type CounterRef, type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { runWithTimeout } from '@/lib/db/run-with-timeout';
import type { Counter, MonthCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt } from '@/lib/limiter/meter';
import { encodeWindow } from '@/lib/limiter/month-anchor';
import { monthAt, SLOTS, slotAt } from '@/lib/limiter/window';
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
  async commit(revision: number, attempts: readonly Attempt[]): Promise<Commit> {
    const { needed, windows } = collectCounters(attempts);
    const counters = JSON.stringify(needed);
    const decisions = splitIndependent(attempts).map((batch) => ({
      sql: DECIDE,
      args: [revision, JSON.stringify(batch)],
    }));
    const preparations = [
      { sql: TICK, args: [revision] },
      { sql: SETTLE, args: [revision, counters] },
      { sql: FORGET_AHEAD, args: [revision, counters] },
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
    return { kind: 'decided', now, verdicts: evaluateGroup(attempts, now, replayed).verdicts };
  }

  async read(counters: readonly CounterRef[]) {
    const needed = counters.map(({ key, window }) => [key, encodeWindow(window)]);
    const [now, stored] = parseJsonList(await this.#execute(READ, [JSON.stringify(needed)]));
    if (typeof now !== 'number' || !Array.isArray(stored))
      throw new StoreUnavailable('The libSQL server did not answer the question.');
    return counters.map(({ key, window }, i) => {
      const slots: unknown = stored[i];
      const counter =
        window.kind === 'month' ? toMonthCounter(slots, monthAt(now, window.anchor)) : toSlidingCounter(slots);
      return toCounterState(key, counter, window, now);
    });
  }

  async listKeys(prefix: string, limit: number): Promise<string[]> {
    const { rows } = await this.#execute(KEYS, [prefix, limit]);
    return rows.map((row) => String(row[0]));
  }

  clear: CounterStore['clear'] = (selection, kept) => clearCounters([counterSlots], selection, kept);

  resetUsage: CounterStore['resetUsage'] = resetSlot;

  restore: CounterStore['restore'] = restoreSlots;

  async settle(id: string, charges: readonly Charge[], keptFor: Millis): Promise<boolean> {
    const call = randomUUID();
    const corrections = charges.flatMap(({ key, window, at, cost, used = 0 }) => {
      if (used === cost) return [];
      if (used > cost) return { sql: ADD, args: [id, call, key, encodeWindow(window), used - cost] };
      const [slot, reach] =
        window.kind === 'month' ? [monthAt(at, window.anchor), 0] : [slotAt(at, window.seconds), SLOTS];
      return { sql: TAKE_BACK, args: [id, call, key, slot, reach, cost - used] };
    });
    const remember = { sql: REMEMBER_SETTLEMENT, args: [id, call, keptFor] };
    const statements = [remember, { sql: FORGET_SETTLED, args: [] }, { sql: TICK_ALWAYS, args: [] }, ...corrections];
    const [remembered] = await this.#call(() => this.options.client.batch(statements, 'write'));
    return remembered?.rows.length === 1;
  }

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
    const late = () => new StoreUnavailable('The libSQL server did not answer in time.');
    try {
      return await retryWhileBusy(() => runWithTimeout(call(), timeout, late), {
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

function toMonthCounter(slots: unknown, month: number): MonthCounter {
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
