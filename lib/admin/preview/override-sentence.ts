import { COUNT_FROM, counted, WARM_UP } from '@/lib/admin/limits/dry-run-policies';
import { limitSentence } from '@/lib/admin/preview/sentences';
import type { Override } from '@/lib/contract/overrides';
import { isWithin, parseRange } from '@/lib/limiter/address';
import type { Context } from '@/lib/operation/context';
import { readDemand } from '@/lib/statistics/demand';
import { replayLimit } from '@/lib/statistics/refusal-bounds';
import { HOUR, MINUTE, startOf } from '@/lib/statistics/step';

/**
 * What another limit of an identifier, or of the addresses in a range, would have refused of their last hour.
 * @param before null where the policy holds @param after null where it will
 */
export async function overrideSentence(
  { services, now }: Context,
  before: Override | null,
  after: Override | null,
): Promise<string | null> {
  const override = after ?? before;
  if (override === null) return null;
  const { type, identifier, class: name } = override;
  const subject = type === 'ip' ? 'ip' : 'user';
  const policy = (await services.rules.fresh()).policies.classes[name][subject];
  const to = startOf(now, MINUTE);
  const { identifiers } = await readDemand(services.database, subject, name, to - HOUR - WARM_UP, to);
  const concerned = [...identifiers].filter(([asking]) => isFor(subject, identifier, asking));
  const requests = concerned.reduce((sum, [, parts]) => sum + counted(parts), 0);
  const [today, changed] = [before ?? policy, after ?? policy].map(
    (limit) => replayLimit(concerned, limit, COUNT_FROM).refusals,
  );
  return today === undefined || changed === undefined ? null : limitSentence(requests, today, changed);
}

/** Whether an override of `identifier` is for who asks: of addresses also in its range. */
export function isFor(subject: 'ip' | 'user', identifier: string, asking: string): boolean {
  if (subject === 'user') return identifier === asking;
  const [range, address] = [parseRange(identifier), parseRange(asking)?.first];
  return range !== null && address !== undefined && isWithin(address, range);
}
