import type { Client, InStatement, ResultSet } from '@libsql/client';
import { counterSlots } from '@/drizzle/counters-schema';
import { clearCounters, resetSlot, TOUCH } from '@/lib/counters/change-statements';
import { counterState } from '@/lib/counters/counter-state';
import { independentBatches, neededCounters, replayCounter, slidingCounter } from '@/lib/counters/remote/group';
import { DECIDE, FORGET_AHEAD, KEYS, LOAD, READ, SETTLE, TICK } from '@/lib/counters/remote/statements';
import { RemoteSweep } from '@/lib/counters/remote/sweep';
import { type Commit, type CounterRef, type CounterStore, StoreUnavailable } from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { retryWhileBusy } from '@/lib/db/retry-while-busy';
import { withTimeout } from '@/lib/db/with-timeout';
import type { Counter, MonthCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt } from '@/lib/limiter/meter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

export interface RemoteCountersOptions {
  /** The client of the database that also holds the rules. The store never closes it. */
  client: Pick<Client, 'batch' | 'execute'>;
  /** Wall clock; only paces the sweep. The server counts by its own. */
  clock: () => Millis;
  wait: (milliseconds: Millis) => Promise<void>;
  /** From 0 to below 1. */
  random: () => number;
  /** Command timeout in milliseconds; 2,000 by default. */
  timeout?: Millis;
}

/** Retries of a call while other writers hold the server's lock. */
const BUSY_RETRIES = 5;
const LONGEST_PAUSE = 100;

/**
 * Counters on a libSQL server (sqld, Turso). A group is one atomic batch, so one round trip: fix the time, settle slots
 * in its future, read the revision and the counters, then decide and count in `independentBatches`. What the server
 * decides is what counts; the verdicts are computed again by `evaluateGroup`, from the time and counters it has read.
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
   * @throws RangeError as `evaluateGroup`
   * @throws StoreUnavailable; after a lost connection or a timeout the group may have been counted all the same
   */
  async commit(revision: number, attempts: readonly Attempt[]): Promise<Commit> {
    const { needed, windows } = neededCounters(attempts);
    const counters = JSON.stringify(needed);
    const results = await this.#call(() =>
      this.options.client.batch(
        [
          { sql: TICK, args: [revision] },
          { sql: SETTLE, args: [revision, counters] },
          { sql: FORGET_AHEAD, args: [revision, counters] },
          { sql: LOAD, args: [counters] },
          ...independentBatches(attempts).map(
            (demands): InStatement => ({ sql: DECIDE, args: [revision, JSON.stringify(demands)] }),
          ),
        ],
        'write',
      ),
    );
    const [current, now, stored] = jsonList(results[3]);
    if (typeof current === 'number' && current !== revision) return { kind: 'stale', revision: current };
    if (typeof current !== 'number' || typeof now !== 'number' || !Array.isArray(stored))
      throw new StoreUnavailable('The libSQL server did not decide the group.');
    const replayed = new Map<string, Counter>();
    for (const [i, [key, window]] of [...windows].entries()) replayed.set(key, replayCounter(stored[i], window, now));
    return { kind: 'decided', now, verdicts: evaluateGroup(attempts, now, replayed).verdicts };
  }

  async read(counters: readonly CounterRef[]) {
    const needed = counters.map(({ key, window }) => [key, window.kind === 'month' ? 0 : window.seconds]);
    const [now, stored] = jsonList(await this.#execute(READ, [JSON.stringify(needed)]));
    if (typeof now !== 'number' || !Array.isArray(stored))
      throw new StoreUnavailable('The libSQL server did not answer the question.');
    return counters.map(({ key, window }, i) => {
      const slots: unknown = stored[i];
      const counter = window.kind === 'month' ? monthCounter(slots, now) : slidingCounter(slots);
      return counterState(key, counter, window, now);
    });
  }

  async listKeys(prefix: string, limit: number): Promise<string[]> {
    const { rows } = await this.#execute(KEYS, [prefix, limit]);
    return rows.map((row) => String(row[0]));
  }

  clear: CounterStore['clear'] = (selection) => clearCounters([counterSlots], selection);

  resetUsage: CounterStore['resetUsage'] = resetSlot;

  /** The revision is read from the audit log in the same database. */
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

  /** Repeats a call while the server is busy, which then has done nothing; other faults are not retried. */
  async #call<T>(call: () => Promise<T>): Promise<T> {
    const { wait, random, timeout = 2_000 } = this.options;
    const late = () => new StoreUnavailable('The libSQL server did not answer in time.');
    try {
      return await retryWhileBusy(() => withTimeout(call(), timeout, late), {
        wait,
        pause: (attempt) => Math.min(LONGEST_PAUSE, 5 * 2 ** attempt) * (0.5 + random()),
        isLast: (attempt) => attempt === BUSY_RETRIES,
      });
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      const what = isBusy(error) ? 'stays locked' : 'cannot be reached, or cannot write';
      throw new StoreUnavailable(`The libSQL server ${what}.`, { cause: error });
    }
  }
}

/** The JSON array in the first cell of a result. */
function jsonList(result: ResultSet | undefined): unknown[] {
  const text = result?.rows[0]?.[0];
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : null;
  return Array.isArray(list) ? list : [];
}

function monthCounter(slots: unknown, now: Millis): MonthCounter {
  const [slot]: unknown[] = Array.isArray(slots) ? slots : [];
  const [, hits, floor]: unknown[] = Array.isArray(slot) ? slot : [];
  return { kind: 'month', month: monthAt(now), hits: Number(hits ?? 0), floor: Number(floor ?? 0) };
}
