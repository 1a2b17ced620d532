import { COUNT_FROM, counted, WARM_UP } from '@/lib/admin/effect/last-hour';
import { CLOSED_SENTENCE, limitSentence } from '@/lib/admin/effect/sentences';
import type { Override } from '@/lib/contract/overrides';
import type { Policies } from '@/lib/contract/policies';
import type { OverrideRecord, Rules } from '@/lib/enforcement/rules';
import { isWithin, parseRange } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { Context } from '@/lib/operation/context';
import { readDemand } from '@/lib/statistics/demand';
import { replayLimit } from '@/lib/statistics/refusal-bounds';
import { findStart, HOUR, MINUTE } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

type Demand = Awaited<ReturnType<typeof readDemand>>['identifiers'];
type ShownOverride = Pick<Override, 'type' | 'identifier' | 'class' | 'limit' | 'window_seconds'>;

/** The demand of the last hour, each subject and class read once however many overrides are for it. */
export class DemandOfOverrides {
  readonly #read = new Map<string, Promise<Demand>>();

  constructor(readonly context: Context) {}

  of(subject: 'ip' | 'user', name: EndpointClass): Promise<Demand> {
    const key = `${subject} ${name}`;
    const asking = this.#read.get(key) ?? this.#readAll(subject, name);
    this.#read.set(key, asking);
    return asking;
  }

  async #readAll(subject: 'ip' | 'user', name: EndpointClass): Promise<Demand> {
    const { services, now } = this.context;
    const to = findStart(now, MINUTE);
    return (await readDemand(services.database, subject, name, to - HOUR - WARM_UP, to)).identifiers;
  }
}

/**
 * What another limit of an identifier, or of the addresses in a range, would have refused of their last hour.
 * @param before null where there is none @param after null where there will be none
 * @param policies in force today, and then
 */
export async function overrideSentence(
  demand: DemandOfOverrides,
  before: ShownOverride | null,
  after: ShownOverride | null,
  policies: Readonly<Record<'before' | 'after', Policies>>,
): Promise<string | null> {
  const override = after ?? before;
  if (override === null) return null;
  if (after?.limit === 0) return CLOSED_SENTENCE;
  const { class: name } = override;
  const subject = override.type === 'ip' ? 'ip' : 'user';
  const { services, now } = demand.context;
  const rules = await services.rules.readFresh();
  const identifiers = await demand.of(subject, name);
  const without = new Map(
    [...identifiers.keys()].map((asking) => [asking, limitWithout(rules, override, asking, now)]),
  );
  const concerned = [...identifiers].filter(([asking]) => without.get(asking) !== null);
  const requests = concerned.reduce((sum, [, parts]) => sum + counted(parts), 0);
  const replayed = (own: ShownOverride | null, when: 'before' | 'after') =>
    replayLimit(concerned, (asking) => own ?? without.get(asking) ?? policies[when].classes[name][subject], COUNT_FROM);
  return limitSentence(requests, replayed(before, 'before').refusals, replayed(after, 'after'));
}

/**
 * The limit that somebody would have without an override: of a wider one, else of the policies (undefined). Null where it
 * does not decide: it is for others, a more specific one decides, or they are on the allowlist.
 */
export function limitWithout(
  rules: Rules,
  { type, identifier, class: name }: Pick<Override, 'identifier' | 'class'> & { type: string },
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
  // The one with the same range is the override itself.
  if (index.find(address, (other, length) => length > range.length && isLive(other)) !== undefined) return null;
  const wider = index.find(address, (other, length) => length < range.length && isLive(other));
  return wider && { limit: wider.limit, window_seconds: wider.windowSeconds };
}
