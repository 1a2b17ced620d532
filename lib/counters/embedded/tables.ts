import type Libsql from 'libsql';
import { TOUCH } from '@/lib/counters/change-statements';
import { readSlots, writeSlots } from '@/lib/counters/counter-state';
import type { JournalEnds, JournalRow, OnUnreadable, Unfolded } from '@/lib/counters/embedded/journal-rows';
import { isCount } from '@/lib/counters/slots-text';
import type { CounterRef } from '@/lib/counters/store';
import { isBusy } from '@/lib/db/errors';
import type { Counter } from '@/lib/limiter/counter';
import { EMPTY_SLIDING, findExpiry } from '@/lib/limiter/sliding-counter';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

const STATE = `
select
  (select coalesce(max(seq), 0) from audit),
  (select min(position) from counter_journal),
  (select max(position) from counter_journal)`;

/**
 * Reads a column as bytes, because the driver ends the process if a text is not UTF-8. Values other than text become
 * empty, and so count as damaged.
 */
const selectBytes = (column: string) =>
  `case typeof(${column}) when 'text' then cast(${column} as blob) when 'null' then null else x'' end`;

const ROWS = `
select position, ${selectBytes('windows')}, ${selectBytes('months')}, ${selectBytes('forgotten')}, ${selectBytes('settled')}
from counter_journal where position > ? order by position`;

const APPEND = 'insert into counter_journal (position, windows, months, settled) values (?, ?, ?, ?)';

/** Condition that the journal and the rules have not changed since the caller read them. */
const IS_PRESENT = `
(select coalesce(max(position), 0) from counter_journal) = ?1 and (select coalesce(max(seq), 0) from audit) = ?2`;

const APPEND_TO_PRESENT = `
insert into counter_journal (position, windows, months, settled) select ?1 + 1, ?3, ?4, ?5 where ${IS_PRESENT}`;

/**
 * Claims row 4 of the clock, which contains the time until which a process folds. A time too far ahead came from a
 * wrong clock and is ignored.
 */
const CLAIM = `
insert into counter_clock (id, now) values (4, ?1 + ?2)
on conflict (id) do update set now = excluded.now where now <= ?1 or now > excluded.now`;

/** Reads a count. Other types become -1, which counts as damaged, because JSON cannot contain bytes. */
function selectCount(column: string): string {
  return `iif(typeof(${column}) in ('integer', 'null'), ${column}, -1)`;
}

/** Reads counters by their keys. A left join returns rows in the order of its left side. */
const LOAD = `
select
  (select cast(json_group_array(cast(w.slots as text)) as blob)
   from json_each(?) as k left join counter_windows as w on w.key = k.value),
  (select json_group_array(json_array(${selectCount('m.hits')}, ${selectCount('m.floor')}))
   from json_each(?) as k left join counter_months as m on m.key = k.value and m.month = ?)`;

/**
 * Reads months other than the current calendar month, as `[[key, month], ...]`. They are rare, so the others omit the
 * month.
 */
const LOAD_MONTHS = `
select json_group_array(json_array(${selectCount('m.hits')}, ${selectCount('m.floor')}))
from json_each(?) as k left join counter_months as m on m.key = k.value ->> 0 and m.month = k.value ->> 1`;

const SAVE_WINDOWS = `
insert or replace into counter_windows (key, expires, slots)
select value ->> 0, value ->> 1, value ->> 2 from json_each(?)`;

const SAVE_MONTHS = `
insert into counter_months (key, month, hits, floor)
select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?) where true
on conflict (key, month) do update set hits = excluded.hits, floor = excluded.floor`;

const REMOVE_WINDOWS = 'delete from counter_windows where key in (select value from json_each(?))';

/** Lists keys. They are printable ASCII, so 0x7F sorts after everything that can follow a prefix. */
const KEYS = `
select cast(key as blob) as key from counter_windows where key >= ?1 and key < ?1 || char(127) and expires > ?2
union all
select cast(key as blob) from counter_months where key >= ?1 and key < ?1 || char(127) and month = ?3
order by key limit ?4`;

/** Tables of the counters in the embedded file. Calls are synchronous and throw the errors of the driver. */
export class EmbeddedTables {
  readonly #statements = new Map<string, Libsql.Statement>();

  constructor(
    private readonly database: Libsql.Database,
    private readonly onUnreadable: OnUnreadable,
  ) {}

  /**
   * Runs one transaction, and rolls it back if `work` throws. It is immediate unless it only reads. It never begins
   * with a prepared statement, because that would have to be ended (`#end`) after meeting the lock of another process.
   */
  runImmediate<T>(work: () => T, begin: 'begin' | 'begin immediate' = 'begin immediate'): T {
    if (!this.database.open) throw new TypeError('The database is closed.');
    this.database.exec(begin);
    try {
      const result = work();
      this.prepare('commit').run();
      return result;
    } catch (error) {
      // SQLite may have rolled back already (a full disk). Then there is nothing to end.
      if (this.database.open && this.database.inTransaction) this.prepare('rollback').run();
      throw error;
    }
  }

  /** Reads the revision of the rules, and the ends of the journal. */
  readJournalState(): JournalEnds & { revision: number } {
    const [revision, first, last] = parseCells(this.prepare(STATE).get());
    return { revision: Number(revision), first: readNumberOrNull(first), last: readNumberOrNull(last) };
  }

  *readRowsAfter(position: number): Iterable<JournalRow> {
    for (const row of this.prepare(ROWS).iterate(position)) {
      const [at, windows, months, forgotten, settled] = parseCells(row);
      yield {
        position: Number(at),
        windows: decodeTextOrNull(windows),
        months: decodeTextOrNull(months),
        forgotten: decodeTextOrNull(forgotten),
        settled: decodeTextOrNull(settled),
      };
    }
  }

  append({ position, windows, months, settled }: JournalRow): void {
    this.prepare(APPEND).run(position, windows, months, settled);
  }

  /**
   * Appends a row by a single call, which is a separate transaction. It does nothing if the journal or the rules have
   * changed since the caller read them, or within another transaction of the connection.
   * @throws the errors of the driver
   */
  appendToPresent({ position, windows, months, settled }: JournalRow, revision: number): boolean {
    if (this.database.inTransaction) return false;
    const append = this.prepare(APPEND_TO_PRESENT);
    try {
      return append.run(position - 1, revision, windows, months, settled).changes === 1;
    } catch (error) {
      if (isBusy(error)) this.#end(append);
      throw error;
    }
  }

  /**
   * Ends a statement that met the lock of another process. Otherwise it stays in progress until it runs again or is
   * collected, and this connection can commit no transaction, not even one that reads. In read-only mode the statement
   * fails before it requests the lock, and that fault ends it.
   */
  #end(statement: Libsql.Statement): void {
    this.database.exec('pragma query_only = on');
    try {
      statement.run(-1, -1, null, null, null);
    } catch {
      // The statement is expected to fail.
    } finally {
      this.database.exec('pragma query_only = off');
    }
  }

  /** Returns whether the journal and the rules are unchanged since the caller read them. */
  isPresent(position: number, revision: number): boolean {
    return parseCells(this.prepare(`select ${IS_PRESENT}`).get(position, revision))[0] === 1;
  }

  /** Claims the fold until `now + lease`. Returns false if another process holds the claim. */
  claimFold(now: Millis, lease: Millis): boolean {
    return this.prepare(CLAIM).run(now, lease).changes === 1;
  }

  endFold(): void {
    this.prepare('update counter_clock set now = 0 where id = 4').run();
  }

  /** Writes states into the tables. Counters that no window covers are deleted, as a sweep would do. */
  fold({ windows, months }: Unfolded, now: Millis): void {
    const live: [key: string, expires: Millis, slots: string][] = [];
    const gone: string[] = [];
    for (const [key, seconds, counter] of windows) {
      const expires = findExpiry(counter, seconds);
      if (expires > now) live.push([key, expires, writeSlots(counter)]);
      else gone.push(key);
    }
    if (live.length > 0) this.prepare(SAVE_WINDOWS).run(JSON.stringify(live));
    if (gone.length > 0) this.prepare(REMOVE_WINDOWS).run(JSON.stringify(gone));
    if (months.length > 0) {
      const rows = months.map(([key, { month, hits, floor }]) => [key, month, hits, floor]);
      this.prepare(SAVE_MONTHS).run(JSON.stringify(rows));
    }
  }

  removeRows(until: number): void {
    this.prepare('delete from counter_journal where position <= ?').run(until);
  }

  /** Reads counters by key. Counters without hits are missing in the result. */
  load(counters: readonly CounterRef[], now: Millis): Map<string, Counter> {
    const loaded = new Map<string, Counter>();
    const windows = new Set<string>();
    const months = new Set<string>();
    const others = new Map<string, number>();
    const month = computeCalendarMonth(now);
    for (const { key, window } of counters) {
      if (window.kind === 'sliding') windows.add(key);
      else if (window.anchor === undefined) months.add(key);
      else others.set(key, computeCalendarMonth(now, window.anchor));
    }
    const row = this.prepare(LOAD).get(JSON.stringify([...windows]), JSON.stringify([...months]), month);
    const [slots, hits] = parseCells(row);
    for (const [key, text] of pairValues(windows, slots)) {
      if (typeof text !== 'string') continue;
      const counter = readSlots(text);
      if (counter === EMPTY_SLIDING) this.onUnreadable('counter_windows', key);
      loaded.set(key, counter);
    }
    const add = (key: string, month: number, pair: unknown) => {
      const [hits, floor]: unknown[] = Array.isArray(pair) ? pair : [];
      if (isCount(hits) && isCount(floor)) loaded.set(key, { kind: 'month', month, hits, floor });
      else if (hits !== null || floor !== null) this.onUnreadable('counter_months', `${key} ${month}`);
    };
    for (const [key, pair] of pairValues(months, hits)) add(key, month, pair);
    if (others.size > 0) {
      const [found] = parseCells(this.prepare(LOAD_MONTHS).get(JSON.stringify([...others])));
      for (const [[key, number], pair] of pairValues(others, found)) add(key, number, pair);
    }
    return loaded;
  }

  /** Lists the keys with this prefix whose hits a window still covers, sorted. */
  listKeys(prefix: string, limit: number, now: Millis): string[] {
    const rows = this.prepare(KEYS).all(prefix, now, computeCalendarMonth(now), limit);
    return rows.map((row) => decodeText(parseCells(row)[0]));
  }

  /** Lists the keys that the reset with this number has cleared. */
  listClearedKeys(seq: number): string[] {
    const rows = this.prepare('select distinct cast(key as blob) from cleared_counters where seq = ?').all(seq);
    return rows.map((row) => decodeText(parseCells(row)[0]));
  }

  /** Reads one row and writes one. Throws if the counters cannot be read or written. */
  testAccess(): void {
    this.prepare('select 1 from counter_windows limit 1').get();
    this.prepare(TOUCH).run();
  }

  /** Returns the cells of the first row. */
  readCells(sql: string, ...args: (string | number)[]): unknown[] {
    return parseCells(this.prepare(sql).get(...args));
  }

  /** Prepares a statement once. It outlives its connection, so the connection is checked each time. */
  prepare(sql: string): Libsql.Statement {
    if (!this.database.open) throw new TypeError('The database is closed.');
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.database.prepare(sql);
    // Rows are returned as arrays. Only statements with rows accept the option.
    if (statement.reader) statement.raw();
    this.#statements.set(sql, statement);
    return statement;
  }
}

function parseCells(row: unknown): unknown[] {
  return Array.isArray(row) ? row : [];
}

/** Decodes any bytes. Everything written is ASCII. */
function decodeText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}

function decodeTextOrNull(value: unknown): string | null {
  return value === null ? null : decodeText(value);
}

function readNumberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function* pairValues<T>(keys: Iterable<T>, json: unknown): Iterable<[T, unknown]> {
  const values: unknown = JSON.parse(decodeText(json));
  if (!Array.isArray(values)) return;
  let i = 0;
  for (const key of keys) yield [key, values[i++]];
}
