import { sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { counterMonths, counterSlots } from '@/drizzle/counters-schema';
import type { CounterChange, CounterSelection } from '@/lib/counters/store';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Adds 1 to row 3 of the clock, which counts nothing: SQLite skips the write of a page that would stay the same. */
export const TOUCH = 'insert into counter_clock (id, now) values (3, 0) on conflict (id) do update set now = now + 1';

// Changes of counters that live in the database of the rules, as statements for the transaction of an audit record.

export function clearCounters(tables: readonly SQLiteTable[], selection: CounterSelection): CounterChange {
  // Keys are printable ASCII: 0x7F comes after everything that can follow a prefix.
  const selected =
    'prefix' in selection
      ? sql`key >= ${selection.prefix} and key < ${`${selection.prefix}\x7f`}`
      : sql`key in (select value from json_each(${JSON.stringify(selection.keys)}))`;
  return { kind: 'statements', statements: tables.map((table) => sql`delete from ${table} where ${selected}`) };
}

/** Sets the floor of the present month to its hits, and of the next one, should it begin before the statement runs. */
export function resetMonth(key: string, now: Millis): CounterChange {
  const reset = sql`update ${counterMonths} set floor = hits where key = ${key} and month >= ${monthAt(now)}`;
  return { kind: 'statements', statements: [reset] };
}

/** Sets the floor of the present month, by the server's clock, to its hits. */
export function resetSlot(key: string): CounterChange {
  const reset = sql`update ${counterSlots} set floor = hits
    where key = ${key} and slot = strftime('%Y', 'now') * 12 + strftime('%m', 'now') - 1`;
  return { kind: 'statements', statements: [reset] };
}
