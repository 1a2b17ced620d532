import { COUNT_FROM, LastHourDemand } from '@/lib/admin/effect/last-hour';
import type { ExceptionRow } from '@/lib/admin/exception-kind/exception-rows';
import type { ExceptionNeed } from '@/lib/admin/exceptions/need';
import { findConcerned } from '@/lib/admin/overrides/override-sentence';
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
    const { without, concerned } = await findConcerned(rules, demand, { type, identifier, class: name });
    const policy = rules.policies.classes[name][type === 'ip' ? 'ip' : 'user'];
    const { refusals } = replayLimit(concerned, (asking) => without.get(asking) ?? policy, COUNT_FROM);
    needs.set(id, { atLeast: refusals.at_least, since: to - HOUR });
  }
  return needs;
}
