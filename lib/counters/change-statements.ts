import { type SQL, sql } from 'drizzle-orm';
import { clearedCounters, counterMonths, counterSlots, counterWindows } from '@/drizzle/counters-schema';
import { buildMonthSql } from '@/lib/counters/remote/statements';
import type { CounterChange, CounterSelection, KeptReset, MonthRef } from '@/lib/counters/store';
import { encodeWindow } from '@/lib/limiter/month-anchor';
import { BACKSLASH, BASE, ZERO } from '@/lib/limiter/older-slots';
import { computeCalendarMonth } from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** Adds 1 to row 3 of the clock, which counts nothing. Without a change SQLite would skip the write of the page. */
export const TOUCH = 'insert into counter_clock (id, now) values (3, 0) on conflict (id) do update set now = now + 1';

// Changes of counters that live in the database of the rules, as statements for the transaction of an audit record.

/** Columns of a kept row, for each table. An undo adds `hits` and `floor`. */
const KEPT_COLUMNS = [
  { table: counterWindows, columns: sql`0 as slot, 0 as hits, 0 as floor, slots, expires` },
  { table: counterMonths, columns: sql`month as slot, hits, floor, null as slots, 0 as expires` },
  { table: counterSlots, columns: sql`slot, hits, floor, null as slots, expires` },
] as const;

type CounterTable = (typeof KEPT_COLUMNS)[number]['table'];

/** Keeps rows of a table for an undo. */
function keep({ seq, until }: KeptReset, table: CounterTable, columns: SQL, where: SQL): SQL {
  return sql`insert into ${clearedCounters} (seq, key, slot, hits, floor, slots, expires, kept_until)
    select ${seq}, key, slot, hits, floor, slots, expires, ${until} from (
      select key, ${columns} from ${table} where ${where})`;
}

/**
 * Returns the condition that a selection covers this key. Keys are printable ASCII, so 0x7F sorts after everything that
 * can follow a prefix.
 */
export function isSelected(selection: CounterSelection, key: SQL): SQL {
  return 'prefix' in selection
    ? sql`${key} >= ${selection.prefix} and ${key} < ${`${selection.prefix}\x7f`}`
    : sql`${key} in (select value from json_each(${JSON.stringify(selection.keys)}))`;
}

export function clearCounters(
  tables: readonly CounterTable[],
  selection: CounterSelection,
  kept: KeptReset | undefined,
): CounterChange {
  const selected = isSelected(selection, sql`key`);
  const statements = KEPT_COLUMNS.filter(({ table }) => tables.includes(table)).flatMap(({ table, columns }) => [
    ...(kept === undefined ? [] : [keep(kept, table, columns, selected)]),
    sql`delete from ${table} where ${selected}`,
  ]);
  return { kind: 'statements', statements };
}

/** Sets the floor of rows to their hits. Keeps the usage that this removes. */
function raiseFloor(
  table: CounterTable,
  { slot, expires }: Record<'slot' | 'expires', SQL>,
  where: SQL,
  kept: KeptReset | undefined,
): CounterChange {
  const columns = sql`${slot} as slot, 0 as hits, floor - hits as floor, null as slots, ${expires} as expires`;
  const reset = sql`update ${table} set floor = hits where ${where}`;
  return { kind: 'statements', statements: kept === undefined ? [reset] : [keep(kept, table, columns, where), reset] };
}

/**
 * Sets the floor of the current month to its hits, and that of the next month, in case it begins before the statement
 * runs.
 */
export function resetMonth({ key, window }: MonthRef, now: Millis, kept: KeptReset | undefined): CounterChange {
  return raiseFloor(
    counterMonths,
    { slot: sql`month`, expires: sql`0` },
    sql`key = ${key} and month >= ${computeCalendarMonth(now, window.anchor)}`,
    kept,
  );
}

/** Sets the floor of the current month, by the server's clock, to its hits. */
export function resetSlot({ key, window }: MonthRef, kept: KeptReset | undefined): CounterChange {
  const present = sql.raw(buildMonthSql('unixepoch() * 1000', String(encodeWindow(window))));
  return raiseFloor(
    counterSlots,
    { slot: sql`slot`, expires: sql`expires` },
    sql`key = ${key} and slot = ${present}`,
    kept,
  );
}

const MAX = sql.raw(String(Number.MAX_SAFE_INTEGER));
const BASE_SQL = sql.raw(String(BASE));
const addToColumn = (column: 'hits' | 'floor') =>
  sql.raw(`${column} = min(${Number.MAX_SAFE_INTEGER}, ${column} + excluded.${column})`);

/** Decodes a digit of `hits`, like `OlderSlots`. @param position position from 1 */
function buildDigitSql(position: string): SQL {
  const unit = `unicode(substr(hits, ${position}, 1))`;
  return sql.raw(`(${unit} - ${ZERO} - (${unit} > ${BACKSLASH}))`);
}

/** Condition that a window is readable. Damaged windows are not added. */
const HAS_SLOTS = sql.raw(
  "case when typeof(slots) = 'text' and json_valid(slots) then json_type(slots, '$[0]') is 'integer' else false end",
);

const forget = (seq: number) => sql`delete from ${clearedCounters} where seq = ${seq}`;

/** Adds back the slots that a reset kept. */
export function restoreSlots(seq: number): CounterChange {
  const restored = sql`insert into ${counterSlots} (key, slot, hits, floor, expires)
    select key, slot, hits, floor, expires from ${clearedCounters} where seq = ${seq}
    on conflict (key, slot) do update set ${addToColumn('hits')}, ${addToColumn('floor')}, expires = max(expires, excluded.expires)`;
  return { kind: 'statements', statements: [restored, forget(seq)] };
}

/**
 * Adds back the months and windows that a reset kept. A window is merged slot by slot with its successor. Both are in
 * the form of `formatSlots`.
 */
export function restoreRows(seq: number): CounterChange {
  const months = sql`insert into ${counterMonths} (key, month, hits, floor)
    select key, slot, hits, floor from ${clearedCounters} where seq = ${seq} and slots is null
    on conflict (key, month) do update set ${addToColumn('hits')}, ${addToColumn('floor')}`;
  const windows = sql`insert or replace into ${counterWindows} (key, expires, slots)
    with recursive parts as materialized (
      select key, expires, slots from ${clearedCounters} where seq = ${seq} and ${HAS_SLOTS}
      union all
      select key, expires, slots from ${counterWindows}
      where key in (select key from ${clearedCounters} where seq = ${seq} and slots is not null) and ${HAS_SLOTS}
    ), merged as (
      select key, max(expires) as expires, max(slots ->> 0) as newest from parts group by key
    ), packed (key, newest, hits, digits) as materialized (
      select key, slots ->> 0, slots ->> 2, cast(substr(slots ->> 2, 1, 1) as integer)
      from parts where json_type(slots, '$[2]') = 'text'
    ), ages (age) as (
      select 0 union all select age + 1 from ages where age < 60
    ), counted as materialized (
      select key, slot, min(${MAX}, sum(hits)) as hits from (
        select p.key as key, (p.slots ->> 0) + 1 - e.key as slot, e.value as hits
        from parts as p cross join json_each(p.slots) as e where e.key > 0 and e.type <> 'text'
        union all
        select key, newest - age, case digits
          when 1 then ${buildDigitSql('age + 1')}
          when 2 then ${BASE_SQL} * ${buildDigitSql('2 * age')} + ${buildDigitSql('2 * age + 1')}
          else ${BASE_SQL} * (${BASE_SQL} * ${buildDigitSql('3 * age - 1')} + ${buildDigitSql('3 * age')}) + ${buildDigitSql('3 * age + 1')}
        end
        from packed cross join ages where age between 1 and (length(hits) - 1) / digits
      ) group by 1, 2
    )
    select key, expires, (
      select json_group_array(value) from (
        select -1 as age, newest as value
        union all
        select age, coalesce((select hits from counted as c where c.key = m.key and c.slot = m.newest - age), 0) from ages
        order by age
      )
    ) from merged as m`;
  return { kind: 'statements', statements: [months, windows, forget(seq)] };
}
