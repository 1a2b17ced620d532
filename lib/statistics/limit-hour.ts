import type { Database } from '@/lib/db/database';
import { takeTurn } from '@/lib/take-turn';
import { MINUTE, type Millis } from '@/lib/units';

/** Callers of a limit that are listed. */
const MOST_NEAREST = 3;
/** Milliseconds that are read in one turn of the event loop. */
const AT_ONCE = 20 * MINUTE;

/** Use of one limit within an hour, or of one client. */
export interface LimitHour {
  subject: string;
  /** An endpoint class, `all` for clients, or the name of a limit. */
  scope: string;
  /** The client. Empty for all other subjects, and for the sum of clients that are not counted one by one. */
  client: string;
  units: number;
  refused: number;
  /** Units by minute, oldest first. */
  points: number[];
  /** Largest used share in percent. Null if none was measured. */
  peak: number | null;
  /** Subjects that came nearest to the limit, nearest first. */
  nearest: Nearest[];
}

interface Nearest {
  identifier: string;
  peak: number;
}

const UNITS = 'p0 + p1 + p2 + p3 + p4 + p5';
/** Largest number of units that a row can hold. More is damage, and could not be summed exactly. */
const MOST_UNITS = 1e12;
const formatCountCondition = (column: string, most: number) =>
  `typeof(${column}) = 'integer' and ${column} between 0 and ${most}`;
const IS_NUMBER = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'].map((column) => formatCountCondition(column, MOST_UNITS));
const WITHIN = `start >= ? and start < ? and subject in ('ip', 'user', 'client', 'limit')
  and typeof(start) = 'integer' and start % ${MINUTE} = 0 and typeof(class) = 'text' and typeof(identifier) = 'text' and ${IS_NUMBER.join(' and ')}`;
const refused = `sum(case when ${formatCountCondition('refused', MOST_UNITS)} then refused else 0 end)`;
const peak = `max(case when ${formatCountCondition('peak', 1_000)} then peak end)`;

const SERIES = `
  select subject, class, case subject when 'client' then identifier else '' end as client, start,
    sum(${UNITS}) as units, ${refused} as refused, ${peak} as peak
  from demand where ${WITHIN} and (? is null or identifier = ?) group by 1, 2, 3, 4`;

/** The nearest of the whole time are among the nearest of each part of it. */
const NEAREST = `
  select subject, class, identifier, peak from (
    select subject, class, identifier, ${peak} as peak,
      row_number() over (partition by subject, class order by ${peak} desc, sum(${UNITS}) desc, identifier) as place
    from demand where ${WITHIN} and subject <> 'client' and identifier <> '' group by subject, class, identifier
  ) where place <= ${MOST_NEAREST} and peak is not null`;

/**
 * Reads how much of each limit was used, from `from` to before `to`. Both times lie on a minute.
 * @param identifier reads only this client or subject
 */
export async function readLimitHours(
  { client }: Database,
  { from, to }: { from: Millis; to: Millis },
  identifier: string | null,
): Promise<LimitHour[]> {
  const hours = new Map<string, LimitHour>();
  for (let begin = from; begin < to; begin += AT_ONCE) {
    const span = [begin, Math.min(to, begin + AT_ONCE)];
    const series = await client.execute({ sql: SERIES, args: [...span, identifier, identifier] });
    for (const row of series.rows) {
      const hour = findHour(hours, row, (to - from) / MINUTE);
      const units = Number(row.units);
      hour.units += units;
      hour.refused += Number(row.refused);
      hour.points[(Number(row.start) - from) / MINUTE] = units;
      if (row.peak !== null) hour.peak = Math.max(hour.peak ?? 0, Number(row.peak));
    }
    await takeTurn();
    if (identifier !== null) continue;
    const nearest = await client.execute({ sql: NEAREST, args: span });
    for (const row of nearest.rows) {
      const { nearest: list } = findHour(hours, row, 0);
      addNearest(list, { identifier: String(row.identifier), peak: Number(row.peak) });
    }
    await takeTurn();
  }
  return [...hours.values()];
}

function findHour(hours: Map<string, LimitHour>, row: Readonly<Record<string, unknown>>, minutes: number): LimitHour {
  const [subject, scope, client] = [String(row.subject), String(row.class), String(row.client ?? '')];
  const key = `${subject}|${scope}|${client}`;
  const hour = hours.get(key) ?? {
    ...{ subject, scope, client, units: 0, refused: 0, peak: null, nearest: [] },
    points: new Array<number>(minutes).fill(0),
  };
  hours.set(key, hour);
  return hour;
}

/** Adds an identifier to the nearest ones, which stay sorted. */
export function addNearest(list: Nearest[], { identifier, peak: share }: Nearest): void {
  const existing = list.find((each) => each.identifier === identifier);
  if (existing === undefined) list.push({ identifier, peak: share });
  else existing.peak = Math.max(existing.peak, share);
  list.sort((a, b) => b.peak - a.peak);
  list.splice(MOST_NEAREST);
}
