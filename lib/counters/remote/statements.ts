// SQL of the counters on a libSQL server. A counter is `(key, slot) -> hits`. A month is one slot, numbered like
// `buildMonthSql`. All statements of a group use one time, which the first of them stores. `seconds` are codes of
// windows, see `encodeWindow`: 0 or less is a month.

import { SERVER_TIME } from '@/lib/db/server-time';

const MAX = '9007199254740991';
const REVISION = '(select coalesce(max(seq), 0) from audit)';
/** Time of the server's clock, in milliseconds. */
const CLOCK = SERVER_TIME;
/** Time of the group, in milliseconds. */
const NOW = '(select now from counter_clock where id = 1)';

/** Builds the SQL of `computeCalendarMonth`. @param code code of the window, see `encodeWindow` */
export function buildMonthSql(now: string, code: string): string {
  const formatDatePart = (format: string, rest = '') => `strftime('${format}', ${now} / 1000, 'unixepoch'${rest})`;
  const lastDay = formatDatePart('%d', ", 'start of month', '+1 month', '-1 day'");
  const isBefore = `(${formatDatePart('%d')} + 0 < min(-(${code}) % 32, ${lastDay} + 0))`;
  const anchored = `iif(${code} = 0, 0, -(${code}) / 32 - 16 - ${isBefore})`;
  return `(${formatDatePart('%Y')} * 12 + ${formatDatePart('%m')} - 1 + ${anchored})`;
}

/**
 * Builds the SQL of the current slot of a window, like `computeSlot`, or of the current month. SQLite rounds down the
 * quotient of whole numbers.
 */
const buildSlotSql = (now: string, seconds: string) =>
  `iif(${seconds} <= 0, ${buildMonthSql(now, seconds)}, ${now} * 60 / (${seconds} * 1000))`;

/** Builds the SQL of the time from which a row can be deleted. A month is kept for 13 months. */
const buildExpirySql = (slot: string, seconds: string) => `iif(${seconds} <= 0,
  strftime('%s', ${NOW} / 1000, 'unixepoch', 'start of month', '+14 months') * 1000,
  (${slot} + 62) * ${seconds} * 1000 / 60)`;

/** Builds the SQL of the number of earlier slots that a window covers. */
const buildReachSql = (seconds: string) => `iif(${seconds} <= 0, 0, 60)`;

/**
 * Sets the clock of a group (row 1), unless the caller's rules are out of date. If the clock has gone back, row 2 keeps
 * its latest time: until then slots can lie in the future. Arguments: revision.
 */
export const TICK = `
insert into counter_clock (id, now)
with tick as materialized (select ${CLOCK} as now)
select 1, now from tick where ${REVISION} = ?1
union all
select 2, c.now from counter_clock as c, tick where c.id = 1 and c.now > tick.now and ${REVISION} = ?1
on conflict (id) do update set now = iif(id = 1, excluded.now, max(now, excluded.now))`;

/** Lists the group's windows and their current slots, if the clock has gone back. Arguments: revision, as in LOAD. */
const BEHIND = `
behind as materialized (
  select value ->> 0 as key, value ->> 1 as seconds, present.now * 60 / ((value ->> 1) * 1000) as slot
  from counter_clock as present cross join counter_clock as latest cross join json_each(?2)
  where present.id = 1 and latest.id = 2 and latest.now > present.now and value ->> 1 > 0 and ${REVISION} = ?1
)`;

/** Moves hits up to a window ahead into the current slot, like `settleSliding`. Arguments: revision, as in LOAD. */
export const SETTLE = `
insert into counter_slots (key, slot, hits, expires)
with ${BEHIND}
select b.key, b.slot, min(${MAX}, sum(c.hits)), (b.slot + 62) * b.seconds * 1000 / 60
from behind as b cross join counter_slots as c on c.key = b.key and c.slot between b.slot + 1 and b.slot + 60
where true group by b.key
on conflict (key, slot) do update set hits = min(${MAX}, hits + excluded.hits)`;

/** Deletes the slots that SETTLE has moved, and those further ahead. Arguments: as in SETTLE. */
export const FORGET_AHEAD = `
with ${BEHIND}
delete from counter_slots where (key, slot) in (
  select c.key, c.slot from behind as b cross join counter_slots as c on c.key = b.key and c.slot > b.slot
)`;

/**
 * Reads the start state of a group as one JSON text: `[revision, now, [counter, ...]]`. A counter is `[used, newest
 * slot]`, with its slots `[[slot, hits], ...]` if a refusal is possible. A month is `[hits, floor]`.
 * Arguments: counters as JSON, see `collectCounters`.
 */
export const LOAD = `
with needed as (
  select key as position, value ->> 0 as key, value ->> 1 as seconds, value ->> 2 as safe from json_each(?1)
), placed as (
  select position, key, seconds, safe, ${buildSlotSql(NOW, 'seconds')} as slot, ${buildReachSql('seconds')} as reach from needed
), summed as materialized (
  select position, key, seconds, safe, slot, reach,
    (select json_array(coalesce(sum(hits), 0), max(iif(hits > 0, slot, null))) from counter_slots as c
     where c.key = p.key and c.slot between p.slot - p.reach and p.slot) as seen
  from placed as p
)
select json_array(${REVISION}, ${NOW}, (
  select json_group_array(json(case
    when seconds <= 0 then
      (select json_array(hits, floor) from counter_slots as c where c.key = s.key and c.slot = s.slot)
    when seen ->> 0 <= safe then seen
    else (select json_array(s.seen ->> 0, s.seen ->> 1, json_group_array(json_array(slot, hits))) from counter_slots as c
          where c.key = s.key and c.slot between s.slot - s.reach and s.slot)
  end)) from (select * from summed order by position) as s
))`;

/**
 * Decides and counts one batch of `splitIndependent`. An item is admitted as often as all of its counters have room.
 * Arguments: revision, batch as JSON.
 */
export const DECIDE = `
with demands as (
  select value ->> 0 as item, value ->> 1 as key, value ->> 2 as seconds, value ->> 3 as most,
    value ->> 4 as cost, value ->> 5 as times
  from json_each(?2)
), placed as (
  select *, ${buildSlotSql(NOW, 'seconds')} as slot, ${buildReachSql('seconds')} as reach from demands
), spacious as materialized (
  select *, iif(most < 0, null, most - (
    select coalesce(sum(hits - floor), 0) from counter_slots as c
    where c.key = p.key and c.slot between p.slot - p.reach and p.slot
  )) as room
  from placed as p
), granted as (
  select key, seconds, slot, cost,
    min(times, coalesce(min(max(0, room) / cost) over (partition by item), times)) as times
  from spacious
)
insert into counter_slots (key, slot, hits, expires)
select key, slot, min(${MAX}, cost * times), ${buildExpirySql('slot', 'seconds')}
from granted
where times > 0 and ${REVISION} = ?1
on conflict (key, slot) do update set hits = min(${MAX}, hits + excluded.hits)`;

/** Reads the time and the counters, not settled, as one JSON text. Arguments: `[[key, seconds], ...]` as JSON. */
export const READ = `
with clock as materialized (
  select ${CLOCK} as now
), needed as (
  select e.key as position, value ->> 0 as key, ${buildSlotSql('now', '(value ->> 1)')} as slot, ${buildReachSql('(value ->> 1)')} as reach
  from json_each(?1) as e, clock
)
select json_array((select now from clock), (
  select json_group_array(json((
    select json_group_array(json_array(slot, hits, floor)) from counter_slots as c
    where c.key = a.key and c.slot between a.slot - a.reach and a.slot + a.reach
  ))) from (select * from needed order by position) as a
))`;

/** Lists keys with a prefix of counters that have not expired, sorted. Arguments: prefix, limit. */
export const KEYS = `
select distinct key from counter_slots
where key >= ?1 and key < ?1 || char(127) and expires > unixepoch() * 1000
order by key limit ?2`;

/** Finds the end of a step of the sweep. Arguments: key and slot after which the step begins, rows. */
export const STEP_END = `
select key, slot from (select key, slot from counter_slots where (key, slot) > (?1, ?2) order by key, slot limit ?3)
order by key desc, slot desc limit 1`;

/**
 * Deletes expired slots between two rows. Arguments: key and slot before the first row, key and slot of the last row.
 */
export const SWEEP = `
delete from counter_slots
where (key, slot) > (?1, ?2) and (key, slot) <= (?3, ?4) and expires <= unixepoch() * 1000`;

/** Deletes some old settlements, see `counter_refunds`. Arguments: most of them. */
export const FORGET_SETTLED = `
delete from counter_refunds where id in (select id from counter_refunds where until <= ${CLOCK} limit ?1)`;

/**
 * Records settlements whose ids are not kept. Returns the ids that were recorded.
 * Arguments: revision, call, `[[id, retention in milliseconds], ...]` as JSON.
 */
export const REMEMBER_SETTLEMENTS = `
insert into counter_refunds (id, call, until)
select value ->> 0, ?2, ${CLOCK} + (value ->> 1) from json_each(?3) where ${REVISION} = ?1
on conflict (id) do update set call = excluded.call, until = excluded.until where counter_refunds.until <= ${CLOCK}
returning id`;

/** Charges of settlements that this call has recorded. Arguments: call, `[[id, ...], ...]` as JSON. */
const CHARGES = `
select value from json_each(?2) where exists (select 1 from counter_refunds where id = value ->> 0 and call = ?1)`;

/**
 * Takes back unused hits of attempts. All charges of a counter have the same slot. The hits are taken from the slot in
 * which they were counted, then from the slots before it, because hits lie there if the clock has gone back.
 * Arguments: call, `[[id, key, slot, number of earlier slots to search, hits], ...]` as JSON.
 */
export const TAKE_BACK = `
with charges as materialized (
  select value ->> 1 as key, value ->> 2 as slot, value ->> 3 as reach, sum(value ->> 4) as unused
  from (${CHARGES}) group by 1
), counted as (
  select a.key, c.slot, hits - floor as hits, unused,
    sum(hits - floor) over (partition by a.key order by c.slot desc) as until
  from charges as a cross join counter_slots as c on c.key = a.key and c.slot between a.slot - a.reach and a.slot
  where hits > floor
)
update counter_slots
set hits = counter_slots.hits - min(counted.hits, counted.unused - (counted.until - counted.hits))
from counted
where counter_slots.key = counted.key and counter_slots.slot = counted.slot
  and counted.until - counted.hits < counted.unused`;

/**
 * Counts additional hits of attempts in the current slot.
 * Arguments: call, `[[id, key, window in the form of encodeWindow, hits], ...]` as JSON.
 */
export const ADD = `
insert into counter_slots (key, slot, hits, expires)
with charges as (
  select value ->> 1 as key, value ->> 2 as seconds, min(${MAX}, sum(value ->> 3)) as hits from (${CHARGES}) group by 1
), placed as (select key, seconds, hits, ${buildSlotSql(NOW, 'seconds')} as slot from charges)
select key, slot, hits, ${buildExpirySql('slot', 'seconds')} from placed where true
on conflict (key, slot) do update set hits = min(${MAX}, hits + excluded.hits)`;
