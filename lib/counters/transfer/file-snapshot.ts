import type { Client, InStatement, InValue } from '@libsql/client';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import { readSlots, writeSlots } from '@/lib/counters/counter-state';
import { settleEverything } from '@/lib/counters/embedded/settle-statements';
import { type CounterSnapshot, findWindowEnd } from '@/lib/counters/transfer/counter-snapshot';
import { EMPTY_SLIDING } from '@/lib/limiter/sliding-counter';

/** Rows of one step. */
const STEP = 2_000;

/** Condition that a column is ASCII, like everything written. Damaged values are skipped. */
const isAscii = (column: string) => `typeof(${column}) = 'text' and ${column} not glob '*[^ -~]*'`;
const WINDOWS = `select key, slots from counter_windows
where key > ? and ${isAscii('key')} and ${isAscii('slots')} order by key limit ?`;
const MONTHS = `select key, month, hits, floor from counter_months
where (key, month) > (?, ?) and ${isAscii('key')} and typeof(hits) = 'integer' and typeof(floor) = 'integer'
order by key, month limit ?`;
const SAVE_WINDOWS = `
insert or replace into counter_windows (key, expires, slots)
select value ->> 0, value ->> 1, value ->> 2 from json_each(?)`;
const SAVE_MONTHS = `
insert or replace into counter_months (key, month, hits, floor)
select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?)`;

const dialect = new SQLiteSyncDialect();

/** Moves everything journaled into the tables, in one transaction. @throws DatabaseUnavailable */
export async function settleFile(client: Pick<Client, 'batch'>): Promise<void> {
  await client.batch(createSettleStatements(), 'write');
}

function createSettleStatements(): InStatement[] {
  return settleEverything().map((statement) => {
    const { sql, params } = dialect.sqlToQuery(statement);
    return { sql, args: params as InValue[] };
  });
}

/** Opens the counters in the tables of the embedded store. The tables may belong to a backup, in any database. */
export function openFileSnapshot(client: Pick<Client, 'execute' | 'batch'>): CounterSnapshot {
  return {
    async *read() {
      await settleFile(client);
      for (let after = ''; ; ) {
        const { rows } = await client.execute({ sql: WINDOWS, args: [after, STEP] });
        const windows = rows.map((row) => ({ key: String(row[0]), counter: readSlots(String(row[1])) }));
        yield { windows: windows.filter(({ counter }) => counter !== EMPTY_SLIDING), months: [] };
        after = windows.at(-1)?.key ?? '';
        if (rows.length < STEP) break;
      }
      for (let after: [string, number] = ['', 0]; ; ) {
        const { rows } = await client.execute({ sql: MONTHS, args: [...after, STEP] });
        const months = rows.map((row) => ({
          key: String(row[0]),
          counter: { kind: 'month' as const, month: Number(row[1]), hits: Number(row[2]), floor: Number(row[3]) },
        }));
        yield { windows: [], months };
        const last = months.at(-1);
        if (last === undefined || rows.length < STEP) break;
        after = [last.key, last.counter.month];
      }
    },
    async clear() {
      await client.batch(
        [...createSettleStatements(), 'delete from counter_windows', 'delete from counter_months'],
        'write',
      );
    },
    async write({ windows, months }) {
      const slots = windows.map(({ key, counter }) => [key, findWindowEnd(key, counter), writeSlots(counter)]);
      const counts = months.map(({ key, counter: { month, hits, floor } }) => [key, month, hits, floor]);
      await client.batch(
        [
          { sql: SAVE_WINDOWS, args: [JSON.stringify(slots)] },
          { sql: SAVE_MONTHS, args: [JSON.stringify(counts)] },
        ],
        'write',
      );
    },
  };
}
