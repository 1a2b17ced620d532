import { type SQL, sql } from 'drizzle-orm';
import { counterMonths, counterWindows } from '@/drizzle/counters-schema';
import type { CounterSelection } from '@/lib/counters/store';
import { monthAt } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/**
 * Writes something that counts nothing, in row 3 of the moments: always another value, because SQLite leaves a page alone
 * that would stay the same.
 */
export const TOUCH = 'insert into counter_clock (id, now) values (3, 0) on conflict (id) do update set now = now + 1';

/** Forgets the selected counters, where the counters are tables of the same database. */
export function clearStatements(selection: CounterSelection): SQL[] {
  return [counterWindows, counterMonths].map((table) => {
    if ('prefix' in selection) {
      // Keys are printable ASCII: 0x7F comes after everything that can follow a prefix.
      return sql`delete from ${table} where key >= ${selection.prefix} and key < ${`${selection.prefix}\x7f`}`;
    }
    return sql`delete from ${table} where key in (select value from json_each(${JSON.stringify(selection.keys)}))`;
  });
}

/** Sets the floor of the present month to its hits, and of the next one, should it begin before the statement runs. */
export function forgiveStatement(key: string, now: Millis): SQL {
  return sql`update ${counterMonths} set floor = hits where key = ${key} and month >= ${monthAt(now)}`;
}
