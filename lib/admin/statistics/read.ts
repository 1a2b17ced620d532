import { readKeyNames } from '@/lib/admin/keys/names';
import { ApiKeyIdSchema } from '@/lib/contract/fields/ids';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { readStatistics as contract, type Statistics } from '@/lib/contract/statistics';
import type { Database } from '@/lib/db/database';
import { isOfApiKeys } from '@/lib/limiter/meter';
import { implement } from '@/lib/operation/operation';
import { readSeries, sumCounts } from '@/lib/statistics/decision-series';
import { readLimitSeries } from '@/lib/statistics/limit-series';
import { findSpan } from '@/lib/statistics/span';
import { findRollup, findStart, KEPT_FOR } from '@/lib/statistics/step';
import { readTopRefused } from '@/lib/statistics/top-identifiers';

const DEFAULT_TOP = 10;

/** Returns decisions by step, class, named limit, outcome and reason, and the identifiers refused most. */
export const readStatistics = implement(contract, async (context, { query }): Promise<Statistics> => {
  const { database } = context.services;
  const { from, to, step } = findSpan(query, context.now);
  const points = await readSeries(database, from, to, step);
  const limits = await readLimitSeries(database, { from, to, step }, query.limit_name ?? null);
  const rollup = findRollup(step);
  const top = await readTopRefused(database, from, to, rollup, query.top ?? DEFAULT_TOP);
  const names = await readListedKeyNames(database, top);
  return {
    from: formatTimestamp(from),
    to: formatTimestamp(to),
    step,
    complete_from: formatTimestamp(findStart(context.now - KEPT_FOR[rollup], rollup * 1_000) + rollup * 1_000),
    totals: { ...sumCounts(points), limits: limits.totals },
    points: points.map((point, index) => ({ ...point, limits: limits.points.get(index) ?? {} })),
    top_refused: top.map((entry) => ({ ...entry, api_key_name: names.get(entry.identifier) ?? null })),
  };
});

/** Reads the names of the API keys in the list. */
function readListedKeyNames(database: Database, top: readonly { type: string; identifier: string }[]) {
  const ofKeys = top.filter(({ type }) => isOfApiKeys(type));
  return readKeyNames(
    database,
    ofKeys.flatMap(({ identifier }) => ApiKeyIdSchema.safeParse(identifier).data ?? []),
  );
}
