import { and, asc, count, gt, isNull, max, or, type SQL, sql, sum } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { decisions } from '@/drizzle/schema';
import { buildDecisionCondition, type ResolvedFilters, resolveFilters } from '@/lib/admin/decisions/decision-log';
import { type CountedDecisions, countDecisions as contract, type DecisionFilters } from '@/lib/contract/decisions';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { Database } from '@/lib/db/database';
import { isReadable } from '@/lib/db/readable-rows';
import { implement } from '@/lib/operation/operation';
import {
  addCell,
  createSeries,
  type DecisionCounts,
  readSeries,
  type SeriesPoint,
  sumCounts,
} from '@/lib/statistics/decision-series';
import { findSpan } from '@/lib/statistics/span';
import { findRollup, findStart } from '@/lib/statistics/step';
import { DECISIONS_KEPT_FOR, MOST_DECISIONS } from '@/lib/statistics/writes';
import type { Millis } from '@/lib/units';

/** Filters that the statistics can answer. */
const OF_STATISTICS: readonly string[] = ['class', 'outcome', 'reason', 'subject', 'limit_name'];

interface Span {
  from: Millis;
  to: Millis;
  /** Length of a step, in seconds. */
  step: number;
}

/** Counts the decisions that the log lists under the same filters. */
export const countDecisions = implement(contract, async ({ services, now }, { query }): Promise<CountedDecisions> => {
  const { database } = services;
  const { from: givenFrom, to: givenTo, step: givenStep, ...filters } = query;
  const span = findExactSpan({ from: givenFrom, to: givenTo, step: givenStep }, now);
  const names = Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const subject = findCountedSubject(filters);
  const isCounted = names.every((name) => OF_STATISTICS.includes(name)) && subject !== null && isWhole(span);
  const resolved = await resolveFilters(database, { ...filters, from: span.from, to: span.to });
  const points = isCounted
    ? await readSeries(database, span.from, span.to, span.step, {
        ...{ class: filters.class, outcome: filters.outcome, reason: filters.reason },
        ...{ limitName: filters.limit_name, subject },
      })
    : await readLoggedSeries(database, resolved, span);
  const totals = pick(sumCounts(points));
  const { refused, bypassed, degraded, observed } = totals;
  return {
    from: formatTimestamp(span.from),
    to: formatTimestamp(span.to),
    step: span.step,
    source: isCounted ? 'statistics' : 'log',
    totals: { total: refused + bypassed + degraded + observed, ...totals },
    points: points.map((point) => ({ start: point.start, ...pick(point) })),
    log: { ...(await readLog(database, resolved)), complete_from: formatTimestamp(await findLogStart(database, now)) },
  };
});

/** Returns the subject that the statistics count, or undefined for all. Null if only the log has it. */
function findCountedSubject({
  subject,
  outcome,
  limit_name: name,
}: DecisionFilters): 'ip' | 'limit' | undefined | null {
  if (subject === undefined || subject === 'limit') return subject;
  return subject === 'ip' && outcome === 'refused' && name === undefined ? 'ip' : null;
}

/** Determines the span. Times of the query are not rounded, because the list does not round them either. */
function findExactSpan(query: Partial<Record<keyof Span, number | undefined>>, now: Millis): Span {
  const { from, to, step } = findSpan(query, now);
  return { from: query.from ?? from, to: query.to ?? to, step };
}

/** Returns whether the span begins and ends with a stored count. */
function isWhole({ from, to, step }: Span): boolean {
  const length = findRollup(step) * 1_000;
  return [from, to].every((at) => findStart(at, length) === at);
}

function pick({ refused, bypassed, degraded, observed, reasons, limit_refusals }: DecisionCounts) {
  return { refused, bypassed, degraded, observed, reasons, limit_refusals };
}

const { id, at, class: endpointClass, outcome, reason, identifier, ip, method, path } = decisions;
const ofRows = sql<number>`coalesce(${sum(decisions.count)}, 0)`;

/** Reads the counts of the log by step. */
async function readLoggedSeries(
  { drizzle }: Database,
  filters: ResolvedFilters,
  { from, to, step }: Span,
): Promise<SeriesPoint[]> {
  const points = createSeries(from, to, step * 1_000);
  const isOfLimit = sql<number>`${decisions.limitName} is not null`;
  const point = sql<number>`cast((${at} - ${from}) / ${step * 1_000} as integer)`;
  const rows = await drizzle
    .select({ point: point.as('point'), class: endpointClass, outcome, reason, isOfLimit, count: ofRows })
    .from(decisions)
    .where(and(buildDecisionCondition(filters), isReadable(at, endpointClass, outcome, reason, decisions.count)))
    .groupBy(sql`1`, endpointClass, outcome, reason, isOfLimit);
  for (const row of rows) {
    const counts = points[row.point];
    if (counts === undefined) continue;
    addCell(counts, row.class, row.outcome, row.reason ?? '', row.count);
    if (row.isOfLimit === 1 && row.outcome === 'refused') counts.limit_refusals += row.count;
  }
  return points;
}

/** Columns whose value a filter needs. */
const NEEDED: { readonly [Name in keyof DecisionFilters]?: readonly AnySQLiteColumn[] } = {
  source: [decisions.source],
  identifier: [identifier],
  method: [method],
  path: [path],
  ip: [ip],
  user_id: [decisions.userId],
  api_key_id: [decisions.apiKeyId],
  api_key: [decisions.apiKeyId],
  q: [identifier, path, ip, decisions.userId],
};

/** Counts the matching rows of the log, and the decisions whose rows lack a filtered value. */
async function readLog({ drizzle }: Database, filters: ResolvedFilters) {
  const matches = buildDecisionCondition(filters);
  const readable = isReadable(decisions.count);
  const select = (where: SQL | undefined) =>
    drizzle.select({ rows: count(), decisions: ofRows }).from(decisions).where(and(where, readable));
  const [listed] = await select(matches);
  const { class: wantedClass, outcome: wantedOutcome, reason: wantedReason, from, to } = filters;
  const matching = buildDecisionCondition({
    class: wantedClass,
    outcome: wantedOutcome,
    reason: wantedReason,
    from,
    to,
  });
  const needed = Object.entries(NEEDED).flatMap(([name, columns]) =>
    filters[name as keyof DecisionFilters] === undefined ? [] : columns,
  );
  const lacks = or(...needed.map((column) => isNull(column)));
  const ofMany = or(gt(decisions.count, 1), and(...[identifier, ip, method, path].map((column) => isNull(column))));
  const [others] = lacks === undefined ? [] : await select(and(matching, ofMany, lacks, sql`(${matches}) is not true`));
  return { rows: listed?.rows ?? 0, decisions: listed?.decisions ?? 0, unattributed: others?.decisions ?? 0 };
}

/** Finds the time from which on the log is complete. */
async function findLogStart({ drizzle }: Database, now: Millis): Promise<Millis> {
  const [newest] = await drizzle.select({ id: max(id) }).from(decisions);
  const [oldest] = await drizzle.select({ id, at }).from(decisions).orderBy(asc(id)).limit(1);
  const logStart = now - DECISIONS_KEPT_FOR;
  // The log is shortened in steps, so it can hold a few rows more than it keeps.
  const isFull = oldest !== undefined && (newest?.id ?? 0) - oldest.id + 1 >= MOST_DECISIONS;
  return isFull ? Math.max(logStart, oldest.at) : logStart;
}
