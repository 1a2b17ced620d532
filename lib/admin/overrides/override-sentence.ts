import { COUNT_FROM, type LastHourDemand, sumLastHour } from '@/lib/admin/effect/last-hour';
import { CLOSED_SENTENCE, formatLimitRefusals } from '@/lib/admin/effect/sentences';
import type { Override } from '@/lib/contract/overrides';
import type { Policies } from '@/lib/contract/policies';
import type { OverrideRecord, Rules } from '@/lib/enforcement/rules';
import { isWithin, parseRange } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import { replayLimit } from '@/lib/statistics/refusal-bounds';
import type { Millis } from '@/lib/units';

/** An override of a class, as an answer or a document shows it. */
type ShownOverride = Pick<Override, 'type' | 'identifier' | 'limit' | 'window_seconds'> & { class: EndpointClass };

/** An override of a class or of a named limit. */
interface AnyOverride {
  readonly type: Override['type'];
  readonly identifier: string;
  readonly class?: EndpointClass | null | undefined;
  readonly limit_name?: string | undefined;
  readonly limit?: number | undefined;
  readonly window_seconds?: number | undefined;
}

/** Returns an override if it is one of a class. */
export function selectClassOverride(override: AnyOverride | null): ShownOverride | null {
  const { class: name, limit, window_seconds } = override ?? {};
  if (override === null || name == null || limit === undefined || window_seconds === undefined) return null;
  return { type: override.type, identifier: override.identifier, class: name, limit, window_seconds };
}

/** Returns an override if it is one of a named limit. */
export function selectNamedOverride<T extends AnyOverride>(override: T | null): (T & { limit_name: string }) | null {
  const name = override?.limit_name;
  return override === null || name === undefined ? null : { ...override, limit_name: name };
}

/**
 * Describes the refusals of the last hour if the override of an identifier or range changes.
 * @param before null if there is none
 * @param after null if it is removed
 * @param policies before and after the change
 */
export async function describeOverrideEffect(
  demand: LastHourDemand,
  before: ShownOverride | null,
  after: ShownOverride | null,
  policies: Readonly<Record<'before' | 'after', Policies>>,
): Promise<string | null> {
  const override = after ?? before;
  if (override === null) return null;
  if (after?.limit === 0) return CLOSED_SENTENCE;
  const { class: name } = override;
  const subject = override.type === 'ip' ? 'ip' : 'user';
  const rules = await demand.context.services.rules.readFresh();
  const { without, concerned } = await findConcerned(rules, demand, override);
  const requests = concerned.reduce((sum, [, parts]) => sum + sumLastHour(parts), 0);
  const replayRequests = (own: ShownOverride | null, time: 'before' | 'after') =>
    replayLimit(concerned, (asking) => own ?? without.get(asking) ?? policies[time].classes[name][subject], COUNT_FROM);
  return formatLimitRefusals(requests, replayRequests(before, 'before').refusals, replayRequests(after, 'after'));
}

/** Finds the callers of the last hour that an override decides for, and their limits without it. */
export async function findConcerned(
  rules: Rules,
  demand: LastHourDemand,
  override: Parameters<typeof findLimitWithoutOverride>[1],
) {
  const { now } = demand.context;
  const { identifiers } = await demand.read(override.type === 'ip' ? 'ip' : 'user', override.class);
  const without = new Map(
    [...identifiers.keys()].map((asking) => [asking, findLimitWithoutOverride(rules, override, asking, now)]),
  );
  return { without, concerned: [...identifiers].filter(([asking]) => without.get(asking) !== null) };
}

/**
 * Finds the limit of an identifier without an override: that of a wider override, else the policies (undefined).
 * Null if the override does not decide for it: it does not match, a more specific override decides, or the allowlist
 * contains it.
 */
export function findLimitWithoutOverride(
  rules: Rules,
  { type, identifier, class: name }: { type: string; identifier: string; class: EndpointClass },
  asking: string,
  now: Millis,
): { limit: number; window_seconds: number } | null | undefined {
  if (type !== 'ip')
    return asking === identifier && rules.findAllowedUser(asking, now) === undefined ? undefined : null;
  const [range, address] = [parseRange(identifier), parseRange(asking)?.first];
  if (range === null || address === undefined || !isWithin(address, range)) return null;
  if (rules.findAllowedAddress(address, now) !== undefined) return null;
  const isLive = ({ expiresAt }: OverrideRecord) => expiresAt === null || expiresAt > now;
  const index = rules.overriddenRanges[name];
  // The override itself has the same length, so only longer and shorter ranges count.
  if (index.find(address, (other, length) => length > range.length && isLive(other)) !== undefined) return null;
  const wider = index.find(address, (other, length) => length < range.length && isLive(other));
  return wider && { limit: wider.limit, window_seconds: wider.windowSeconds };
}
