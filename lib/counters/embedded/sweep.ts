import type Libsql from 'libsql';
import type { EmbeddedTables } from '@/lib/counters/embedded/tables';
import { StoreUnavailable } from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

interface SweepOptions {
  database: Libsql.Database;
  /** Wall clock. */
  clock: () => Millis;
  /** In milliseconds. */
  monotonic: () => Millis;
  wait: (milliseconds: Millis) => Promise<void>;
}

/** Maximum rows of one step. They take about a millisecond. Slow steps reduce the number. */
const LARGEST_STEP = 500;
const SMALLEST_STEP = 20;
/** Duration in milliseconds after which the next step is half the size. */
const LONG = 5;
/** Pause between two steps, in milliseconds, so that requests come first. */
const PAUSE = 5;

/** Tables in the order of a pass. A row is deleted if its `age` is at most `bound`. The history keeps 13 months. */
const TABLES = [
  { name: 'counter_windows', age: 'expires', bound: (now: Millis) => now },
  { name: 'counter_months', age: 'month', bound: (now: Millis) => computeCalendarMonth(now) - 13 },
] as const;

/**
 * Deletes counters that no window covers, without an index for them. A cursor walks along the primary key, a few
 * hundred rows at a time. Each step is a short transaction, followed by a pause.
 */
export class EmbeddedSweep {
  #table = 0;
  /** Key after which the next step begins. It is read as bytes, so that damaged keys are swept too. */
  #after: Uint8Array = new Uint8Array();
  #running = false;
  #rows = LARGEST_STEP;

  constructor(
    private readonly tables: EmbeddedTables,
    private readonly options: SweepOptions,
  ) {}

  /**
   * Checks up to `budget` rows, or the rest of the pass if that is less. The next call continues there. Ends early
   * while another process holds the lock. Does nothing while an earlier call is running.
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
        const step = this.#sweepRows(rows);
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

  /** `done` is true at the end of a pass, and if nothing can be deleted. */
  #sweepRows(rows: number): { deleted: number; done: boolean } {
    const { database, clock } = this.options;
    const table = TABLES[this.#table];
    if (!table || !database.open) return { deleted: 0, done: true };
    const { name, age, bound } = table;
    try {
      const end = `select cast(max(key) as blob) from (select key from ${name} where key > cast(? as text) order by key limit ?)`;
      const row = database.prepare(end).raw().get(this.#after, rows);
      const last: unknown = Array.isArray(row) ? row[0] : null;
      if (!(last instanceof Uint8Array)) {
        this.#after = new Uint8Array();
        this.#table = (this.#table + 1) % TABLES.length;
        return { deleted: 0, done: this.#table === 0 };
      }
      const remove = `delete from ${name} where key > cast(? as text) and key <= cast(? as text) and ${age} <= ?`;
      const { changes } = this.tables.runImmediate(() => {
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
