import { COUNT_FROM, counted, WARM_UP } from '@/lib/admin/limits/dry-run-policies';
import { CLOSED_SENTENCE, limitSentence } from '@/lib/admin/preview/sentences';
import type { Override } from '@/lib/contract/overrides';
import type { Policies } from '@/lib/contract/policies';
import { type Address, isWithin, parseRange } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { Context } from '@/lib/operation/context';
import { readDemand } from '@/lib/statistics/demand';
import { replayLimit } from '@/lib/statistics/refusal-bounds';
import { HOUR, MINUTE, startOf } from '@/lib/statistics/step';

type OverrideSubject = 'ip' | 'user';
type ShownOverride = Pick<Override, 'type' | 'identifier' | 'class' | 'limit' | 'window_seconds'>;

/** Who asks, with the address of those that have one. */
interface Asking {
  identifier: string;
  address: Address | undefined;
}

interface Demand extends Asking {
  parts: Float64Array;
}

/** The demand of the last hour, each subject and class read once however many overrides are for it. */
export class DemandOfOverrides {
  readonly #read = new Map<string, Promise<Demand[]>>();

  constructor(private readonly context: Context) {}

  of(subject: OverrideSubject, name: EndpointClass): Promise<Demand[]> {
    const key = `${subject} ${name}`;
    const asking = this.#read.get(key) ?? this.#readAll(subject, name);
    this.#read.set(key, asking);
    return asking;
  }

  async #readAll(subject: OverrideSubject, name: EndpointClass): Promise<Demand[]> {
    const { services, now } = this.context;
    const to = startOf(now, MINUTE);
    const { identifiers } = await readDemand(services.database, subject, name, to - HOUR - WARM_UP, to);
    return [...identifiers].map(([identifier, parts]) => ({ ...askingOf(subject, identifier), parts }));
  }
}

/**
 * What another limit of an identifier, or of the addresses in a range, would have refused of their last hour.
 * @param before null where the policy holds @param after null where it will
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
  const { type, identifier, class: name } = override;
  const subject = type === 'ip' ? 'ip' : 'user';
  const isConcerned = concernedBy(subject, identifier);
  const concerned = (await demand.of(subject, name)).flatMap((asking): [string, Float64Array][] =>
    isConcerned(asking) ? [[asking.identifier, asking.parts]] : [],
  );
  const units = concerned.reduce((sum, [, parts]) => sum + counted(parts), 0);
  const refusedBy = (limit: Pick<Override, 'limit' | 'window_seconds'>) =>
    replayLimit(concerned, limit, COUNT_FROM).refusals;
  const limitOf = (own: ShownOverride | null, when: 'before' | 'after') => own ?? policies[when].classes[name][subject];
  return limitSentence(units, refusedBy(limitOf(before, 'before')), refusedBy(limitOf(after, 'after')));
}

/** Whether an override of `identifier` is for who asks: of addresses also in its range. */
export function isFor(subject: OverrideSubject, identifier: string, asking: string): boolean {
  return concernedBy(subject, identifier)(askingOf(subject, asking));
}

function askingOf(subject: OverrideSubject, identifier: string): Asking {
  return { identifier, address: subject === 'ip' ? parseRange(identifier)?.first : undefined };
}

function concernedBy(subject: OverrideSubject, identifier: string): (asking: Asking) => boolean {
  if (subject === 'user') return (asking) => asking.identifier === identifier;
  const range = parseRange(identifier);
  return ({ address }) => range !== null && address !== undefined && isWithin(address, range);
}
