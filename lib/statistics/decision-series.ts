import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { OutcomeCounts, StatisticsPoint } from '@/lib/contract/statistics';
import type { Database } from '@/lib/db/database';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import { OUTCOMES } from '@/lib/statistics/decision-event';
import { findRollup } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

export type DecisionCounts = Omit<StatisticsPoint, 'start' | 'limits'>;
export type SeriesPoint = Omit<StatisticsPoint, 'limits'>;

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
    limit_refusals: 0,
  };
}

/** Values that cells must have. A missing value matches all cells. */
export interface CellFilter {
  class?: string | undefined;
  outcome?: string | undefined;
  reason?: string | undefined;
  limitName?: string | undefined;
  /** Only refusals by the limits of addresses, or by named limits. Needs the outcome `refused` for addresses. */
  subject?: 'ip' | 'limit' | undefined;
}

/** Creates points without decisions for every step from `from` to `to`. */
export function createSeries(from: Millis, to: Millis, step: Millis): SeriesPoint[] {
  const length = Math.ceil((to - from) / step);
  return Array.from({ length }, (_, index) => ({ start: formatTimestamp(from + index * step), ...createCounts() }));
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
): Promise<SeriesPoint[]> {
  const step = stepSeconds * 1_000;
  const points = createSeries(from, to, step);
  const args = [from, step, findRollup(stepSeconds), from, to];
  const { limitName, subject } = filter;
  if (limitName === undefined && subject !== 'limit') {
    const { rows } = await database.client.execute({ sql: SERIES, args });
    for (const row of rows) addRow(points[Number(row.point)], String(row.counts), filter);
  }
  for (const { point, ...refusals } of await readLimitRefusals(database, args, limitName))
    addLimitRefusals(points[point], refusals, filter);
  return points;
}

/** Adds the cells of a point that match the filter. @param cells as `SERIES` joins them */
function addRow(point: SeriesPoint | undefined, cells: string, filter: CellFilter): void {
  if (point === undefined) return;
  for (const cell of cells.split(';')) {
    const [endpointClass = '', outcome = '', reason = '', count] = cell.split(',');
    const matches = isSame(filter.class, endpointClass) && isSame(filter.outcome, outcome);
    const ofSubject = filter.subject === undefined || reason === OF_ADDRESSES_AND_LIMITS;
    if (matches && ofSubject && isSame(filter.reason, reason))
      addCell(point, endpointClass, outcome, reason, Number(count));
  }
}

/** The error code that limits of addresses share with named limits. */
const OF_ADDRESSES_AND_LIMITS = 'rate_limit_exceeded';

/** Refusals by named limits in one step and class. */
interface LimitRefusals {
  class: string;
  refused: number;
  observed: number;
}

const LIMIT_REFUSALS = `
  select cast((start - ?) / ? as integer) as point, class, sum(refused) as refused, sum(observed) as observed
  from limit_counts where step = ? and start >= ? and start < ? and (? is null or limit_name = ?)
  group by 1, 2 having sum(refused) + sum(observed) > 0`;

async function readLimitRefusals({ client }: Database, span: number[], limitName: string | undefined) {
  const name = limitName ?? null;
  const { rows } = await client.execute({ sql: LIMIT_REFUSALS, args: [...span, name, name] });
  return rows.map((row) => ({
    point: Number(row.point),
    class: String(row.class),
    refused: Number(row.refused),
    observed: Number(row.observed),
  }));
}

/** Separates refusals of named limits from those of addresses, which have the same error code. */
function addLimitRefusals(point: SeriesPoint | undefined, refusals: LimitRefusals, filter: CellFilter): void {
  const { class: endpointClass, refused, observed } = refusals;
  const matches = isSame(filter.class, endpointClass) && isSame(filter.reason, OF_ADDRESSES_AND_LIMITS);
  if (point === undefined || !matches) return;
  const isOfLimits = filter.limitName !== undefined || filter.subject === 'limit';
  if (isOfLimits && isSame(filter.outcome, 'observed'))
    addCell(point, endpointClass, 'observed', OF_ADDRESSES_AND_LIMITS, observed);
  if (!isSame(filter.outcome, 'refused')) return;
  if (isOfLimits) addCell(point, endpointClass, 'refused', OF_ADDRESSES_AND_LIMITS, refused);
  if (filter.subject === 'ip') addCell(point, endpointClass, 'refused', OF_ADDRESSES_AND_LIMITS, -refused);
  else point.limit_refusals += refused;
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
  if (!isNameOf(OUTCOMES, outcome)) return;
  // Decisions by named limits only have no class.
  if (isNameOf(ENDPOINT_CLASSES, endpointClass)) counts.classes[endpointClass][outcome] += count;
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
    sum.limit_refusals += point.limit_refusals;
  }
  return sum;
}

function addReason({ reasons }: DecisionCounts, reason: string, count: number): void {
  reasons[reason] = (reasons[reason] ?? 0) + count;
}

function isNameOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return names.some((candidate) => candidate === name);
}
