import { type SQL, sql } from 'drizzle-orm';
import { counterJournal, counterMonths, counterRefunds, counterWindows } from '@/drizzle/counters-schema';
import { isSelected } from '@/lib/counters/change-statements';
import type { CounterSelection } from '@/lib/counters/store';
import { SLOTS, VISIBLE_SLOTS } from '@/lib/limiter/window';

/** Counters that a change affects. */
export interface Settled {
  /** Condition that a key is one of them. */
  isSelected: (key: SQL) => SQL;
  /** The same counters for readers of the journal: a `CounterSelection` as JSON. */
  selection: SQL;
}

/** Cached rows of the journal up to a position. The statements read later rows themselves. */
export interface CachedRows {
  readonly upTo: number;
  /** States that the tables lack, as columns of a journal row. */
  readonly windows: string | null;
  readonly months: string | null;
}

const NOTHING: CachedRows = { upTo: 0, windows: null, months: null };

/**
 * `findSlotExpiry` of the newest slot of a window. The constants are part of the SQL, because parameters are
 * floating-point and the division must be integral.
 */
const GONE = sql.raw(`(((value ->> 1) + ${VISIBLE_SLOTS}) * (value ->> 0) * 1000 + ${SLOTS - 1}) / ${SLOTS}`);

/** Condition that a column contains JSON in ASCII, like all written texts. */
const isText = (column: string): SQL =>
  sql.raw(`(typeof(${column}) = 'text' and ${column} not glob '*[^ -~]*' and json_valid(${column}))`);

/** Condition that the members of a list have these JSON types, as `parseRow` requires. */
const isListOf = (...types: string[]): string =>
  `case e.type when 'array' then ${types.map((type, i) => `json_type(e.value, '$[${i}]') is '${type}'`).join(' and ')} else false end`;
const WINDOW = sql.raw(`typeof(e.key) = 'text' and ${isListOf('integer', 'integer', 'integer')}`);
const MONTH = sql.raw(`typeof(e.key) = 'integer' and ${isListOf('text', 'integer', 'integer', 'integer')}`);

const EVERYTHING: Settled = { isSelected: () => sql`true`, selection: sql`'{"prefix":""}'` };

export function selectSettled(selection: CounterSelection): Settled {
  return { isSelected: (key) => isSelected(selection, key), selection: sql`${JSON.stringify(selection)}` };
}

/** Selects the counters that the reset with this number has cleared. */
export function selectSettledByReset(seq: number): Settled {
  const keys = sql`select distinct key from cleared_counters where seq = ${seq}`;
  return {
    isSelected: (key) => sql`${key} in (${keys})`,
    selection: sql`(select json_object('keys', json_group_array(key)) from (${keys}))`,
  };
}

/**
 * Returns statements that move the journaled state of some counters into the tables. Later statements of the
 * transaction can then change it there. A journal row notifies every process that the tables contain it.
 */
export function settle({ isSelected, selection }: Settled, cached: CachedRows = NOTHING): SQL[] {
  // Cached states are obsolete once their rows were folded, because the tables may be ahead.
  const isCurrent = sql`(select min(position) from ${counterJournal}) <= ${cached.upTo + 1}`;
  const isForgotten = sql`exists (
    select 1 from ${counterJournal} as f where f.forgotten is not null and f.position > n.position and case
      when not ${isText('f.forgotten')} then false
      when f.forgotten ->> 'prefix' is null then n.key in (select value from json_each(f.forgotten, '$.keys'))
      else n.key >= f.forgotten ->> 'prefix' and n.key < (f.forgotten ->> 'prefix') || char(127) end)`;
  const selectLaterRows = (column: 'windows' | 'months', isReadable: SQL, key: SQL) => sql`
    from ${counterJournal} as j,
      json_each(iif(${isText(`j.${column}`)}, j.${sql.raw(column)}, null)) as e
    where j.position > ${cached.upTo} and ${isReadable} and ${isSelected(key)}`;
  const windows = sql`insert or replace into ${counterWindows} (key, expires, slots)
    with journaled (position, key, value) as (
      select ${cached.upTo}, key, value from json_each(${cached.windows}) where ${isCurrent}
      union all
      select j.position, e.key, e.value ${selectLaterRows('windows', WINDOW, sql`e.key`)}
    ), newest as (select key, value, max(position) as position from journaled group by key)
    select key, ${GONE}, '[' || substr(value, instr(value, ',') + 1)
    from newest as n where not ${isForgotten}`;
  const months = sql`insert into ${counterMonths} (key, month, hits, floor)
    with journaled (position, key, month, value) as (
      select ${cached.upTo}, value ->> 0, value ->> 1, value from json_each(${cached.months}) where ${isCurrent}
      union all
      select j.position, e.value ->> 0, e.value ->> 1, e.value ${selectLaterRows('months', MONTH, sql`e.value ->> 0`)}
    ), newest as (select key, month, value, max(position) as position from journaled group by key, month)
    select key, month, value ->> 2, value ->> 3 from newest as n where not ${isForgotten}
    on conflict (key, month) do update set hits = excluded.hits, floor = excluded.floor`;
  const forget = sql`insert into ${counterJournal} (position, forgotten)
    select coalesce(max(position), 0) + 1, ${selection} from ${counterJournal}`;
  return [windows, months, forget];
}

/** Returns statements that move everything journaled into the tables. One journal row remains. */
export function settleEverything(): SQL[] {
  const settled = sql`insert into ${counterRefunds} (id, until)
    select e.value, max(part.value ->> 0) from ${counterJournal} as j,
      json_each(iif(${isText('j.settled')}, j.settled, null)) as part,
      json_each(iif(part.type = 'array', part.value, null)) as e
    where json_type(iif(part.type = 'array', part.value, '[]'), '$[0]') is 'integer' and e.type = 'text' group by 1
    on conflict (id) do update set until = excluded.until`;
  const remove = sql`delete from ${counterJournal} where position < (select max(position) from ${counterJournal})`;
  return [...settle(EVERYTHING), settled, remove];
}
