import { keyNames } from '@/lib/admin/keys/names';
import { ApiKeyIdSchema } from '@/lib/contract/fields/ids';
import { toInstant } from '@/lib/contract/fields/instant';
import { readStatistics as contract, MAX_POINTS, type Statistics } from '@/lib/contract/statistics';
import type { Database } from '@/lib/db/database';
import { invalidField } from '@/lib/http/input';
import { implement } from '@/lib/operation/operation';
import { readSeries, sumCounts } from '@/lib/statistics/decision-series';
import { findRollup, findStart, KEPT_FOR } from '@/lib/statistics/step';
import { readTopRefused } from '@/lib/statistics/top-identifiers';
import type { Millis } from '@/lib/units';

const DEFAULT_POINTS = 60;
const DEFAULT_TOP = 10;
/** Usual steps of a chart, in seconds. The default is the shortest step that needs at most 120 points. */
const USUAL_STEPS = [60, 300, 900, 3_600, 21_600, 86_400, 604_800];
const COMFORTABLE_POINTS = 120;

/** Returns decisions by step, class, outcome and reason, and the identifiers refused most. */
export const readStatistics = implement(contract, async (context, { query }): Promise<Statistics> => {
  const { database } = context.services;
  const { from, to, step } = span(query, context.now);
  const points = await readSeries(database, from, to, step);
  const rollup = findRollup(step);
  const top = await readTopRefused(database, from, to, rollup, query.top ?? DEFAULT_TOP);
  const names = await namesOfKeys(database, top);
  return {
    from: toInstant(from),
    to: toInstant(to),
    step,
    complete_from: toInstant(findStart(context.now - KEPT_FOR[rollup], rollup * 1_000) + rollup * 1_000),
    totals: sumCounts(points),
    points,
    top_refused: top.map((entry) => ({ ...entry, api_key_name: names.get(entry.identifier) ?? null })),
  };
});

/** Reads the names of the API keys in the list. */
function namesOfKeys(database: Database, top: readonly { type: string; identifier: string }[]) {
  const ofKeys = top.filter(({ type }) => type === 'client' || type === 'quota');
  return keyNames(
    database,
    ofKeys.flatMap(({ identifier }) => ApiKeyIdSchema.safeParse(identifier).data ?? []),
  );
}

/** Determines the range and the step of the statistics. @throws ApiError invalid_request */
function span(
  query: { from?: Millis | undefined; to?: Millis | undefined; step?: number | undefined },
  now: Millis,
): { from: Millis; to: Millis; step: number } {
  const end = query.to ?? Math.max(now, query.from ?? now);
  if (query.from !== undefined && query.from >= end) throw invalidField('from', 'must lie before to');
  const step = query.step ?? (query.from === undefined ? 60 : usualStep(end - query.from));
  const length = step * 1_000;
  const to = findStart(end + length - 1, length);
  const from = query.from === undefined ? to - DEFAULT_POINTS * length : findStart(query.from, length);
  if ((to - from) / length > MAX_POINTS) throw invalidField('step', `makes more than ${MAX_POINTS} points`);
  return { from, to, step };
}

function usualStep(length: Millis): number {
  return USUAL_STEPS.find((step) => length / (step * 1_000) <= COMFORTABLE_POINTS) ?? 604_800;
}
