import { toInstant } from '@/lib/contract/fields/instant';
import type { OutcomeCounts, StatisticsPoint } from '@/lib/contract/statistics';
import type { Database } from '@/lib/db/database';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import { OUTCOMES } from '@/lib/statistics/decision-event';
import { findRollup } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

export type DecisionCounts = Omit<StatisticsPoint, 'start'>;

/** Leaves out rows whose count is damaged. */
export const IS_COUNT = `typeof(count) = 'integer' and count between 0 and ${Number.MAX_SAFE_INTEGER}`;

/*
 * The query returns one row per point and joins classes and reasons as text, because many short rows are slow here. The
 * cast truncates a bound real number. The primary key of `rollups` begins with (step, start), so SQLite reads only the
 * rows of the span.
 */
const SERIES = `
  select point, group_concat(class || ',' || outcome || ',' || reason || ',' || count, ';') as counts from (
    select cast((start - ?) / ? as integer) as point, class, outcome, reason, sum(count) as count
    from rollups where step = ? and start >= ? and start < ? and ${IS_COUNT} group by 1, 2, 3, 4)
  group by point`;

export function createCounts(): DecisionCounts {
  const createZeroCounts = (): OutcomeCounts => ({ allowed: 0, refused: 0, bypassed: 0, degraded: 0, observed: 0 });
  return {
    ...createZeroCounts(),
    classes: {
      auth: createZeroCounts(),
      sensitive: createZeroCounts(),
      read: createZeroCounts(),
      write: createZeroCounts(),
      lab: createZeroCounts(),
    },
    reasons: {},
  };
}

/** Values that cells must have. A missing value matches all cells. */
export interface CellFilter {
  class?: string | undefined;
  outcome?: string | undefined;
  reason?: string | undefined;
}

/** Creates points without decisions for every step from `from` to `to`. */
export function createSeries(from: Millis, to: Millis, step: Millis): StatisticsPoint[] {
  const length = Math.ceil((to - from) / step);
  return Array.from({ length }, (_, index) => ({ start: toInstant(from + index * step), ...createCounts() }));
}

/**
 * Reads decision counts by step, from `from` to before `to`. Steps without decisions are included.
 * @param from a time on a step, like `to`
 * @param stepSeconds a multiple of 60
 */
export async function readSeries(
  database: Database,
  from: Millis,
  to: Millis,
  stepSeconds: number,
  filter: CellFilter = {},
): Promise<StatisticsPoint[]> {
  const step = stepSeconds * 1_000;
  const points = createSeries(from, to, step);
  const { rows } = await database.client.execute({
    sql: SERIES,
    args: [from, step, findRollup(stepSeconds), from, to],
  });
  for (const row of rows) {
    const point = points[Number(row.point)];
    if (point === undefined) continue;
    for (const cell of String(row.counts).split(';')) {
      const [endpointClass = '', outcome = '', reason = '', count] = cell.split(',');
      const matches = isSame(filter.class, endpointClass) && isSame(filter.outcome, outcome);
      if (matches && isSame(filter.reason, reason)) addCell(point, endpointClass, outcome, reason, Number(count));
    }
  }
  return points;
}

function isSame(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === value;
}

/** Adds a count to a point. Skips damaged classes and outcomes. @param reason empty if the cell has none */
export function addCell(
  counts: DecisionCounts,
  endpointClass: string,
  outcome: string,
  reason: string,
  count: number,
): void {
  if (!includesName(OUTCOMES, outcome)) return;
  // Decisions without a class are those of named limits alone.
  if (includesName(ENDPOINT_CLASSES, endpointClass)) counts.classes[endpointClass][outcome] += count;
  else if (endpointClass !== '') return;
  counts[outcome] += count;
  if (outcome === 'refused' && reason !== '') addReason(counts, reason, count);
}

export function sumCounts(points: readonly DecisionCounts[]): DecisionCounts {
  const sum = createCounts();
  for (const point of points) {
    for (const outcome of OUTCOMES) {
      sum[outcome] += point[outcome];
      for (const name of ENDPOINT_CLASSES) sum.classes[name][outcome] += point.classes[name][outcome];
    }
    for (const [reason, count] of Object.entries(point.reasons)) addReason(sum, reason, count);
  }
  return sum;
}

function addReason({ reasons }: DecisionCounts, reason: string, count: number): void {
  reasons[reason] = (reasons[reason] ?? 0) + count;
}

function includesName<Name extends string>(names: readonly Name[], name: string): name is Name {
  return names.some((candidate) => candidate === name);
}
