import type Libsql from 'libsql';
import { TOUCH } from '@/lib/counters/change-statements';
import { readSlots, writeSlots } from '@/lib/counters/counter-state';
import { type CounterRef, REFUND_KEPT } from '@/lib/counters/store';
import { type Counter, slidingExpires } from '@/lib/limiter/counter';
import type { ChangedCounter } from '@/lib/limiter/evaluate-group';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** The revision and all counters of a group. A left join returns rows in the order of its left side. */
const LOAD = `
select
  (select coalesce(max(seq), 0) from audit),
  (select json_group_array(w.slots) from json_each(?) as k left join counter_windows as w on w.key = k.value),
  (select json_group_array(json_array(m.hits, m.floor))
   from json_each(?) as k left join counter_months as m on m.key = k.value and m.month = ?)`;

/** Months that are not the calendar's present one, as `[[key, month], ...]`: few, so that the others need not say theirs. */
const LOAD_MONTHS = `
select json_group_array(json_array(m.hits, m.floor))
from json_each(?) as k left join counter_months as m on m.key = k.value ->> 0 and m.month = k.value ->> 1`;

const SAVE_WINDOWS = `
insert or replace into counter_windows (key, expires, slots)
select value ->> 0, value ->> 1, value ->> 2 from json_each(?)`;

const SAVE_MONTHS = `
insert into counter_months (key, month, hits) select value ->> 0, value ->> 1, value ->> 2 from json_each(?) where true
on conflict (key, month) do update set hits = excluded.hits`;

const REFUND = 'insert into counter_refunds (id, until) values (?, ?) on conflict (id) do nothing';

/** Keys are printable ASCII, so 0x7F comes after everything that can follow a prefix. */
const KEYS = `
select key from counter_windows where key >= ?1 and key < ?1 || char(127) and expires > ?2
union all
select key from counter_months where key >= ?1 and key < ?1 || char(127) and month = ?3
order by key limit ?4`;

/** The counters' tables in the embedded file. Synchronous; faults are thrown as the driver throws them. */
export class EmbeddedTables {
  readonly #statements = new Map<string, Libsql.Statement>();

  constructor(private readonly database: Libsql.Database) {}

  /**
   * One immediate transaction: all of the work, or nothing of it when it throws.
   *
   * It never begins by a prepared statement. One that meets the lock of another process stays in progress until it runs
   * again or is collected, and while it does, no transaction of this connection can be committed.
   */
  transaction<T>(work: () => T): T {
    if (!this.database.open) throw new TypeError('The database is closed.');
    this.database.exec('begin immediate');
    try {
      const result = work();
      this.#statement('commit').run();
      return result;
    } catch (error) {
      // SQLite may have rolled back by itself (a full disk), in which case there is nothing left to end.
      if (this.database.open && this.database.inTransaction) this.#statement('rollback').run();
      throw error;
    }
  }

  /** The revision and the counters with these keys, without those that have never counted. */
  load(counters: readonly CounterRef[], now: Millis) {
    const windows = new Set<string>();
    const months = new Set<string>();
    const others = new Map<string, number>();
    const month = monthAt(now);
    for (const { key, window } of counters) {
      if (window.kind === 'sliding') windows.add(key);
      else if (window.anchor === undefined) months.add(key);
      else others.set(key, monthAt(now, window.anchor));
    }
    const row = this.#statement(LOAD).get(JSON.stringify([...windows]), JSON.stringify([...months]), month);
    const [revision, slots, hits] = cells(row);
    const stored = new Map<string, Counter>();
    for (const [key, text] of paired(windows, slots)) {
      if (typeof text === 'string') stored.set(key, readSlots(text));
    }
    const add = (key: string, month: number, pair: unknown) => {
      const [hits, floor]: unknown[] = Array.isArray(pair) ? pair : [];
      if (typeof hits === 'number' && typeof floor === 'number') stored.set(key, { kind: 'month', month, hits, floor });
    };
    for (const [key, pair] of paired(months, hits)) add(key, month, pair);
    if (others.size > 0) {
      const [found] = cells(this.#statement(LOAD_MONTHS).get(JSON.stringify([...others])));
      for (const [[key, number], pair] of paired(others, found)) add(key, number, pair);
    }
    return { revision: Number(revision), counters: stored };
  }

  save(changed: ReadonlyMap<string, ChangedCounter>): void {
    const windows: [string, number, string][] = [];
    const months: [string, number, number][] = [];
    for (const [key, { counter, window }] of changed) {
      if (counter.kind === 'month') months.push([key, counter.month, counter.hits]);
      else if (window.kind === 'sliding')
        windows.push([key, slidingExpires(counter, window.seconds), writeSlots(counter)]);
    }
    if (windows.length > 0) this.#statement(SAVE_WINDOWS).run(JSON.stringify(windows));
    if (months.length > 0) this.#statement(SAVE_MONTHS).run(JSON.stringify(months));
  }

  /** Whether no refund with this id is remembered; from now on one is. */
  rememberRefund(id: string, now: Millis): boolean {
    this.#statement('delete from counter_refunds where until <= ?').run(now);
    return this.#statement(REFUND).run(id, now + REFUND_KEPT).changes === 1;
  }

  /** Keys with this prefix of counters that a window still sees, sorted. */
  listKeys(prefix: string, limit: number, now: Millis): string[] {
    const rows = this.#statement(KEYS).all(prefix, now, monthAt(now), limit);
    return rows.map((row) => String(cells(row)[0]));
  }

  /** Fails where the counters cannot be read or written: reads one row and writes one. */
  readAndWrite(): void {
    this.#statement('select 1 from counter_windows limit 1').get();
    this.#statement(TOUCH).run();
  }

  /** Prepared once. A statement outlives its connection, so the connection is checked each time. */
  #statement(sql: string): Libsql.Statement {
    if (!this.database.open) throw new TypeError('The database is closed.');
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.database.prepare(sql);
    // Rows as arrays; only statements with rows take the option.
    if (statement.reader) statement.raw();
    this.#statements.set(sql, statement);
    return statement;
  }
}

function cells(row: unknown): unknown[] {
  return Array.isArray(row) ? row : [];
}

function* paired<T>(keys: Iterable<T>, json: unknown): Iterable<[T, unknown]> {
  const values: unknown = JSON.parse(String(json));
  if (!Array.isArray(values)) return;
  let i = 0;
  for (const key of keys) yield [key, values[i++]];
}
