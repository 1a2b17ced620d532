import type { Statistics } from '@/lib/contract/statistics';
import type { Database } from '@/lib/db/database';
import { createLimitCounts, LIMIT_COUNTS } from '@/lib/statistics/limit-tally';
import { findRollup } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

type CountsByName = Statistics['totals']['limits'];

/** Limits that have counts by step. The totals have all. */
const MOST_IN_POINTS = 20;

const SUMS = LIMIT_COUNTS.map((column) => `sum(${column}) as ${column}`).join(', ');
const WITHIN = 'step = ? and start >= ? and start < ?';
const DECISIONS = 'allowed + refused + degraded + observed';

const TOTALS = `
  select limit_name, ${SUMS} from limit_counts where ${WITHIN} and (? is null or limit_name = ?)
  group by limit_name order by sum(${DECISIONS}) desc, limit_name`;

const POINTS = `
  select cast((start - ?) / ? as integer) as point, limit_name, ${SUMS} from limit_counts
  where ${WITHIN} and limit_name in (select value from json_each(?)) group by 1, 2 order by 1, 2`;

/**
 * Reads the counts of named limits, from `from` to before `to`: those of each limit, most decisions first, and those of
 * the busiest limits by step.
 * @param from a time on a step, like `to`
 * @param stepSeconds a multiple of 60
 * @param name only this limit
 */
export async function readLimitSeries(
  { client }: Database,
  { from, to, step: stepSeconds }: { from: Millis; to: Millis; step: number },
  name: string | null,
): Promise<{ totals: CountsByName; points: ReadonlyMap<number, CountsByName> }> {
  const span = [findRollup(stepSeconds), from, to];
  const sums = await client.execute({ sql: TOTALS, args: [...span, name, name] });
  const totals = Object.fromEntries(sums.rows.map((row) => [String(row.limit_name), parseLimitCounts(row)]));
  const points = new Map<number, CountsByName>();
  if (sums.rows.length === 0) return { totals, points };
  const busiest = JSON.stringify(Object.keys(totals).slice(0, MOST_IN_POINTS));
  const { rows } = await client.execute({ sql: POINTS, args: [from, stepSeconds * 1_000, ...span, busiest] });
  for (const row of rows) {
    const point = points.get(Number(row.point)) ?? {};
    points.set(Number(row.point), point);
    point[String(row.limit_name)] = parseLimitCounts(row);
  }
  return { totals, points };
}

function parseLimitCounts(row: Readonly<Record<string, unknown>>): CountsByName[string] {
  const counts = createLimitCounts();
  for (const column of LIMIT_COUNTS) counts[column] = Number(row[column]);
  return counts;
}
