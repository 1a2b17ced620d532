import { COUNT_FROM, LastHourDemand } from '@/lib/admin/effect/last-hour';
import type { ExceptionRow } from '@/lib/admin/exception-kind/exception-rows';
import type { ExceptionNeed } from '@/lib/admin/exceptions/need';
import { findLimitWithoutOverride } from '@/lib/admin/overrides/override-sentence';
import type { Context } from '@/lib/operation/context';
import { replayLimit } from '@/lib/statistics/refusal-bounds';
import { findStart } from '@/lib/statistics/step';
import { HOUR, MINUTE } from '@/lib/units';

/** Counts, for each override, the requests of the last hour that would have been refused without it. */
export async function countOverrideNeeds(
  { services, now }: Context,
  rows: readonly ExceptionRow[],
): Promise<Map<string, ExceptionNeed>> {
  const to = findStart(now, MINUTE);
  const rules = await services.rules.readFresh();
  const demand = new LastHourDemand({ services, now });
  const needs = new Map<string, ExceptionNeed>();
  for (const { kind, id, type, identifier, class: name } of rows) {
    if (kind !== 'override' || name === null) continue;
    const subject = type === 'ip' ? 'ip' : 'user';
    const { identifiers } = await demand.read(subject, name);
    const override = { id, type, identifier, class: name } as const;
    const without = new Map(
      [...identifiers.keys()].map((asking) => [asking, findLimitWithoutOverride(rules, override, asking, now)]),
    );
    const concerned = [...identifiers].filter(([asking]) => without.get(asking) !== null);
    const policy = rules.policies.classes[name][subject];
    const { refusals } = replayLimit(concerned, (asking) => without.get(asking) ?? policy, COUNT_FROM);
    needs.set(id, { atLeast: refusals.at_least, since: to - HOUR });
  }
  return needs;
}
