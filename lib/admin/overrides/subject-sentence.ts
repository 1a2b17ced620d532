import type { NamedNumbers } from '@/lib/contract/fields/numbers';
import { StoreUnavailable } from '@/lib/counters/store';
import { measureWindow } from '@/lib/enforcement/limit-state';
import { buildLimitMeters, readOwnNumbers } from '@/lib/enforcement/named-limits';
import type { PlannedMeter } from '@/lib/enforcement/planned-meter';
import { formatCount, formatNumber } from '@/lib/format-number';
import type { Context } from '@/lib/operation/context';
import { chooseLargestUnit } from '@/lib/units';

/** An override of a named limit, as an answer or a document shows it. */
interface SubjectNumbers extends NamedNumbers {
  identifier: string;
  limit_name: string;
}

/**
 * Describes what a subject has used under numbers that an override gives it, or that apply again without it.
 * @param after null if the override is removed
 */
export async function describeSubjectEffect(
  { services, now }: Context,
  before: SubjectNumbers | null,
  after: SubjectNumbers | null,
): Promise<string | null> {
  const override = after ?? before;
  if (override === null) return null;
  const { identifier: subject, limit_name: name } = override;
  const rules = await services.rules.readFresh();
  if (!rules.limits.has(name)) return `The limit ${name} does not exist, so it has no effect.`;
  const own = after === null ? undefined : { id: '', expiresAt: null, ...readOwnNumbers(after) };
  const meters = buildLimitMeters(
    { limits: rules.limits, findSubjectOverride: () => own },
    [{ name, subject, cost: 1 }],
    { key: rules.findKeyById(subject, now) ?? null, incident: rules.findIncident(now) },
    now,
  );
  if (meters.some(({ limit }) => limit === 0)) return 'Every check of this subject is refused.';
  const states = await services.counters.read(meters).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  });
  if (states === null) return null;
  const used = meters.map((meter, index) => describeUse(meter, states[index]?.used ?? 0));
  return `Used now: ${used.join(', ')}.`;
}

function describeUse({ limit, window, named }: PlannedMeter, used: number): string {
  const of = `${formatNumber(used)} of ${formatNumber(limit)}`;
  if (named?.isPlace === true) return `${of} places`;
  return `${of} in ${window.kind === 'month' ? 'the month' : describeSeconds(measureWindow(window))}`;
}

/** Formats a length: `90 seconds`, `2 hours`. */
function describeSeconds(seconds: number): string {
  const [count, unit] = chooseLargestUnit(seconds);
  return formatCount(count, unit);
}
