import type { Client, InStatement, ResultSet } from '@libsql/client';
import { TOUCH } from '@/lib/counters/change-statements';
import { counterState } from '@/lib/counters/counter-state';
import { clearSlotsStatement, forgiveSlotStatement } from '@/lib/counters/remote/change-statements';
import { waves } from '@/lib/counters/remote/independent-batches';
import { askedCounters, replayCounter, slidingCounter } from '@/lib/counters/remote/replay';
import { DECIDE, FORGET_AHEAD, KEYS, LOAD, READ, SETTLE, TICK } from '@/lib/counters/remote/statements';
import { RemoteSweep } from '@/lib/counters/remote/sweep';
import {
  type Commit,
  type CounterChange,
  type CounterSelection,
  type CounterState,
  type CounterStore,
  StoreUnavailable,
} from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import type { Counter, MonthCounter } from '@/lib/limiter/counter';
import { judge } from '@/lib/limiter/evaluate-group';
import type { Attempt, Window } from '@/lib/limiter/meter';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

export interface RemoteCountersOptions {
  /** The client of the database that also holds the rules. The store never closes it. */
  client: Pick<Client, 'batch' | 'execute'>;
  /** Wall clock; only paces the sweep. Everything is counted by the server's clock. */
  clock: () => Millis;
  wait: (milliseconds: number) => Promise<void>;
  /** From 0 to below 1. */
  random: () => number;
  /** How long an answer may take, in milliseconds; 2,000 by default. */
  timeout?: number;
}

/** How often a group is tried again while other writers hold the server's lock. */
const BUSY_RETRIES = 5;
const LONGEST_PAUSE = 100;

/**
 * Counters on a libSQL server (sqld, Turso). A group is one atomic batch, so one round trip: fix the moment, settle
 * what lies in its future, read the epoch and the counters, then judge and count in waves (see `waves`). The judgement that counts is the server's; what
 * is answered is the same judgement over again, by `judge`, from the counters and the moment that the batch has read.
 */
export class RemoteCounters implements CounterStore {
  readonly kind = 'remote';
  readonly #options: RemoteCountersOptions;
  readonly #sweep: RemoteSweep;

  constructor(options: RemoteCountersOptions) {
    this.#options = options;
    this.#sweep = new RemoteSweep(async (sql, args) => {
      const { rows, rowsAffected } = await this.#execute(sql, args);
      return { rows: rows.map((row) => Array.from(row)), changes: rowsAffected };
    }, options.clock);
  }

  /**
   * @throws RangeError for an attempt that `judge` cannot judge
   * @throws StoreUnavailable; the group may have been counted when the connection was lost or the answer came too late
   */
  async commit(epoch: number, attempts: readonly Attempt[]): Promise<Commit> {
    const { asked, windows } = askedCounters(attempts);
    const counters = JSON.stringify(asked);
    const results = await this.#inTime(() =>
      this.#options.client.batch(
        [
          { sql: TICK, args: [epoch] },
          { sql: SETTLE, args: [epoch, counters] },
          { sql: FORGET_AHEAD, args: [epoch, counters] },
          { sql: LOAD, args: [counters] },
          ...waves(attempts).map((asks): InStatement => ({ sql: DECIDE, args: [epoch, JSON.stringify(asks)] })),
        ],
        'write',
      ),
    );
    const [known, now, said] = listIn(results[3]);
    if (typeof known !== 'number') throw new StoreUnavailable('The libSQL server did not decide the group.');
    if (known !== epoch) return { kind: 'stale', epoch: known };
    if (typeof now !== 'number' || !Array.isArray(said))
      throw new StoreUnavailable('The libSQL server did not decide the group.');
    const held = new Map<string, Counter>();
    for (const [i, [key, window]] of [...windows].entries()) held.set(key, replayCounter(said[i], window, now));
    return { kind: 'decided', now, verdicts: judge(attempts, now, held).verdicts };
  }

  async read(counters: readonly { key: string; window: Window }[]): Promise<CounterState[]> {
    const asked = counters.map(({ key, window }) => [key, window.kind === 'month' ? 0 : window.seconds]);
    const [now, said] = listIn(await this.#execute(READ, [JSON.stringify(asked)]));
    if (typeof now !== 'number' || !Array.isArray(said))
      throw new StoreUnavailable('The libSQL server did not answer the question.');
    return counters.map(({ key, window }, i) => {
      const slots: unknown = said[i];
      const counter = window.kind === 'month' ? monthCounter(slots, now) : slidingCounter(slots);
      return counterState(key, counter, window, now);
    });
  }

  async keys(prefix: string, limit: number): Promise<string[]> {
    const { rows } = await this.#execute(KEYS, [prefix, limit]);
    return rows.map((row) => String(row[0]));
  }

  clear(selection: CounterSelection): CounterChange {
    return { kind: 'statements', statements: [clearSlotsStatement(selection)] };
  }

  forgive(key: string): CounterChange {
    return { kind: 'statements', statements: [forgiveSlotStatement(key)] };
  }

  /** The epoch is the newest record of the audit log in the same database: there is nothing to tell. */
  async publish(_epoch: number): Promise<void> {}

  sweep(budget: number): Promise<number> {
    return this.#sweep.run(budget);
  }

  async ping(): Promise<void> {
    await this.#execute(TOUCH, []);
  }

  async close(): Promise<void> {}

  #execute(sql: string, args: (string | number)[]): Promise<ResultSet> {
    return this.#inTime(() => this.#options.client.execute({ sql, args }));
  }

  /** Runs a call, again when the server was busy: then it has done nothing. Other faults are not tried again. */
  async #inTime<T>(call: () => Promise<T>): Promise<T> {
    const { wait, random, timeout = 2_000 } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await within(timeout, call());
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        if (!isBusy(error))
          throw new StoreUnavailable('The libSQL server cannot be reached, or cannot write.', { cause: error });
        if (attempt === BUSY_RETRIES) throw new StoreUnavailable('The libSQL server stays locked.', { cause: error });
        await wait(Math.min(LONGEST_PAUSE, 5 * 2 ** attempt) * (0.5 + random()));
      }
    }
  }
}

/** @throws StoreUnavailable when there is no answer in time; the call goes on, and what it comes to is not known */
async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable('The libSQL server did not answer in time.')), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON array in the first cell of a result. */
function listIn(result: ResultSet | undefined): unknown[] {
  const text = result?.rows[0]?.[0];
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : null;
  return Array.isArray(list) ? list : [];
}

function monthCounter(slots: unknown, now: Millis): MonthCounter {
  const [slot]: unknown[] = Array.isArray(slots) ? slots : [];
  const [, hits, floor]: unknown[] = Array.isArray(slot) ? slot : [];
  return { kind: 'month', month: monthAt(now), hits: Number(hits ?? 0), floor: Number(floor ?? 0) };
}
