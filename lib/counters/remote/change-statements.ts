import { type SQL, sql } from 'drizzle-orm';
import { counterSlots } from '@/drizzle/counters-schema';
import type { CounterSelection } from '@/lib/counters/store';

/** Forgets the selected counters. */
export function clearSlotsStatement(selection: CounterSelection): SQL {
  if ('prefix' in selection) {
    // Keys are printable ASCII: 0x7F comes after everything that can follow a prefix.
    return sql`delete from ${counterSlots} where key >= ${selection.prefix} and key < ${`${selection.prefix}\x7f`}`;
  }
  return sql`delete from ${counterSlots} where key in (select value from json_each(${JSON.stringify(selection.keys)}))`;
}

/** Sets the floor of the present month, by the server's clock, to its hits. */
export function forgiveSlotStatement(key: string): SQL {
  return sql`update ${counterSlots} set floor = hits
    where key = ${key} and slot = strftime('%Y', 'now') * 12 + strftime('%m', 'now') - 1`;
}
