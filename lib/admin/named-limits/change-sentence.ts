import { COUNT_FROM, LastHourDemand, sumLastHour, WARM_UP } from '@/lib/admin/effect/last-hour';
import { formatLimitRefusals, joinSentences } from '@/lib/admin/effect/sentences';
import type { StoredNamedLimit } from '@/lib/contract/fields/named-limit';
import { buildLimitMeters, readNamedLimits } from '@/lib/enforcement/named-limits';
import type { PlannedMeter } from '@/lib/enforcement/planned-meter';
import { formatNumber } from '@/lib/format-number';
import type { Context } from '@/lib/operation/context';
import { computeRefusalBounds, type Replayed, sumBounds } from '@/lib/statistics/refusal-bounds';

/** Replays the last hour of a named limit under changed numbers. Null if its numbers stay the same. */
export async function describeLimitChange(
  context: Context,
  before: StoredNamedLimit,
  after: StoredNamedLimit,
): Promise<string | null> {
  if (!hasOtherNumbers(before, after)) return null;
  const { services, now } = context;
  const rules = await services.rules.readFresh();
  const { identifiers, others } = await new LastHourDemand(context).read('limit', before.name);
  const incident = rules.findIncident(now);
  const listMeters = (limit: StoredNamedLimit, subject: string): readonly PlannedMeter[] => {
    const { limits } = readNamedLimits([limit]);
    const checkedLimits = [{ name: limit.name, subject, cost: 1 }];
    const findSubjectOverride = rules.findSubjectOverride.bind(rules);
    return buildLimitMeters(
      { limits, findSubjectOverride },
      checkedLimits,
      { key: rules.findKeyById(subject, now) ?? null, incident },
      now,
    );
  };
  const demands = [...identifiers];
  const replay = (limit: StoredNamedLimit): Replayed =>
    sumBounds(demands.map(([subject, parts]) => [subject, boundRefusals(parts, listMeters(limit, subject))] as const));
  const [then, later] = [replay(before), replay(after)];
  const units = demands.reduce((sum, [, parts]) => sum + sumLastHour(parts), 0);
  const named = later.most.map((most) => ({
    ...most,
    identifier: rules.keysById.get(most.identifier)?.name ?? most.identifier,
  }));
  const untracked = sumLastHour(others);
  return joinSentences(
    formatLimitRefusals(units, then.refusals, { ...later, most: named }),
    untracked === 0 ? null : `Unknown for ${formatNumber(untracked)} more units, of subjects with few of them.`,
    [before, after].some(isLong) ? 'Windows longer than an hour and places are not replayed whole.' : null,
  );
}

function hasOtherNumbers(before: StoredNamedLimit, after: StoredNamedLimit): boolean {
  const serializeNumbers = ({ windows, tiers, in_flight }: StoredNamedLimit) =>
    JSON.stringify([windows, tiers, in_flight]);
  return serializeNumbers(before) !== serializeNumbers(after);
}

function isLong({ windows, tiers, in_flight: places }: StoredNamedLimit): boolean {
  const all = [...windows, ...Object.values(tiers).flat()];
  return places !== null || all.some(({ seconds }) => seconds === 'month' || seconds * 1_000 > WARM_UP);
}

/**
 * Bounds the refusals of several windows that hold at once. They refuse at least as much as the strictest window, and
 * at most the sum of all windows. Months and places are left out.
 */
function boundRefusals(parts: Float64Array, meters: readonly Pick<PlannedMeter, 'limit' | 'window' | 'named'>[]) {
  let atLeast = 0;
  let atMost = 0;
  for (const { limit, window, named } of meters) {
    if (window.kind !== 'sliding' || named?.isPlace === true) continue;
    const bounds = computeRefusalBounds(parts, limit, window.seconds, COUNT_FROM);
    atLeast = Math.max(atLeast, bounds.atLeast);
    atMost += bounds.atMost;
  }
  return { atLeast, atMost: Math.min(atMost, sumLastHour(parts)) };
}
