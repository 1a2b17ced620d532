import { COUNT_FROM, LastHourDemand } from '@/lib/admin/effect/last-hour';
import { formatFactorRefusals, formatObservable, formatObserved, readOnlySentence } from '@/lib/admin/effect/sentences';
import { replayFactors } from '@/lib/admin/policies/dry-run';
import type { Incident } from '@/lib/contract/fields/incident';
import type { Context } from '@/lib/operation/context';
import { readSeries, sumCounts } from '@/lib/statistics/decision-series';
import { replayLimit } from '@/lib/statistics/refusal-bounds';
import { findStart } from '@/lib/statistics/step';
import { HOUR, MINUTE } from '@/lib/units';

/** Classes in which read-only refuses requests. */
const WRITTEN = ['write', 'sensitive'] as const;
const NOTHING = { limit: 0, window_seconds: 60 };

/**
 * Describes the effect of another incident on the requests of the last hour. Null if it affects none.
 * @param before null if there is none
 * @param after null if the incident ends
 */
export async function describeIncidentEffect(
  context: Context,
  before: Incident | null,
  after: Incident | null,
): Promise<string | null> {
  const { services, now } = context;
  const to = findStart(now, MINUTE);
  const decided = sumCounts(await readSeries(services.database, to - HOUR, to, 60));
  const mode = after?.mode ?? null;
  if (mode === 'observe') return before?.mode === mode ? null : formatObservable(decided);
  const sentences: string[] = [];
  if (before?.mode === 'observe') sentences.push(formatObserved(decided.observed));
  const factors = { before: before?.factor ?? 1, after: after?.factor ?? 1 };
  if (factors.before !== factors.after)
    sentences.push(formatFactorRefusals(await replayFactors(services, now, factors)));
  if (mode === 'read_only' && before?.mode !== mode) {
    sentences.push(
      readOnlySentence(await Promise.all(WRITTEN.map((name) => countWrites(context, name, decided.classes[name])))),
    );
  }
  return sentences.length === 0 ? null : sentences.join(' ');
}

/** Counts the requests of a class that were not refused, and finds the senders that read-only would affect most. */
async function countWrites(
  context: Context,
  name: (typeof WRITTEN)[number],
  { allowed, bypassed, degraded, observed }: Record<'allowed' | 'bypassed' | 'degraded' | 'observed', number>,
) {
  const demand = new LastHourDemand(context);
  const parts = await Promise.all((['ip', 'user'] as const).map((subject) => demand.read(subject, name)));
  const identifiers = parts.flatMap((part) => [...part.identifiers]);
  const { most } = replayLimit(identifiers, NOTHING, COUNT_FROM);
  return {
    class: name,
    requests: allowed + bypassed + degraded + observed,
    most: most.map(({ identifier }) => identifier),
  };
}
