import type { Overlaps } from '@/lib/admin/effect/sentences';
import type { Rules } from '@/lib/enforcement/rules';
import type { UserId } from '@/lib/ids';
import { type AddressRange, parseRange } from '@/lib/limiter/address';
import type { EndpointClass } from '@/lib/limiter/meter';
import type { RangeIndex } from '@/lib/limiter/range-index';
import type { Context } from '@/lib/operation/context';
import { takeTurn } from '@/lib/take-turn';
import type { Millis } from '@/lib/units';

/** Longest page whose narrower exemptions are counted, because each range visits all exemptions. */
const LARGEST_PAGE = 200;
const MOST_NAMED = 3;

interface Expiring {
  expiresAt: Millis | null;
}

/** An exemption of a list, or one that is planned. `class` is that of an override, empty for a named limit. */
export interface Exempted {
  type: string;
  identifier: string;
  class?: EndpointClass | '' | null;
}

const NO_OVERLAPS: Overlaps = { coveredBy: null, within: null, covers: { count: 0, names: [] } };

/** Lists the active values of ranges that hold `range` and are at most `longest` bits long, the most specific first. */
export function listWider<T extends Expiring & { id: string }>(
  index: RangeIndex<T>,
  range: AddressRange,
  longest: number,
  now: Millis,
): { id: string; identifier: string }[] {
  const found: { id: string; identifier: string }[] = [];
  index.find(range.first, ({ id, expiresAt }, length) => {
    const wider = length <= longest ? parseRange(`${range.first.text}/${length}`) : null;
    if (wider !== null && (expiresAt === null || expiresAt > now)) found.push({ id, identifier: wider.text });
    return false;
  });
  return found;
}

function listNarrower<T extends Expiring>(index: RangeIndex<T>, range: AddressRange, now: Millis) {
  const names: string[] = [];
  let count = 0;
  for (const { range: inner, value } of index.listNarrowerRanges(range)) {
    if (value.expiresAt !== null && value.expiresAt <= now) continue;
    count += 1;
    if (names.length < MOST_NAMED) names.push(inner.text);
  }
  return { count, names };
}

/** Finds the other active exemptions for the callers of one exemption. */
export function findOverlaps(
  rules: Rules,
  { type, identifier, class: name }: Exempted,
  now: Millis,
  counts = true,
): Overlaps {
  // A subject is exactly one, and the allowlist has none.
  if (name === '' || name === null) return NO_OVERLAPS;
  if (type === 'user_id') {
    const allowed = name !== undefined && rules.findAllowedUser(identifier as UserId, now) !== undefined;
    return allowed ? { ...NO_OVERLAPS, coveredBy: identifier } : NO_OVERLAPS;
  }
  const range = parseRange(identifier);
  if (range === null) return NO_OVERLAPS;
  const longest = name === undefined ? range.length - 1 : range.length;
  const index = name === undefined ? rules.allowedRanges : rules.overriddenRanges[name];
  const findWider = <T extends Expiring & { id: string }>(of: RangeIndex<T>, most: number) =>
    listWider(of, range, most, now)[0]?.identifier ?? null;
  return {
    coveredBy: findWider(rules.allowedRanges, longest),
    within: name === undefined ? null : findWider(rules.overriddenRanges[name], range.length - 1),
    covers: counts ? listNarrower<Expiring>(index, range, now) : NO_OVERLAPS.covers,
  };
}

/** Finds the overlaps of each row of a page, in the fields of its list. */
export async function listOverlaps(context: Context, rows: readonly Exempted[]) {
  const rules = await context.services.rules.readFresh();
  const fields: { covered_by?: string; within?: string; covers?: number }[] = [];
  for (const [index, row] of rows.entries()) {
    const { coveredBy, within, covers } = findOverlaps(rules, row, context.now, rows.length <= LARGEST_PAGE);
    fields.push({
      ...(coveredBy !== null && { covered_by: coveredBy }),
      ...(within !== null && { within }),
      ...(covers.count > 0 && { covers: covers.count }),
    });
    if (index % LARGEST_PAGE === LARGEST_PAGE - 1) await takeTurn();
  }
  return fields;
}
