import type { ExceptionRow } from '@/lib/admin/exception-kind/exception-rows';
import { listWider } from '@/lib/admin/exception-kind/overlaps';
import type { Exception } from '@/lib/contract/exceptions';
import type { Rules } from '@/lib/enforcement/rules';
import type { UserId } from '@/lib/ids';
import { parseRange } from '@/lib/limiter/address';
import type { Millis } from '@/lib/units';

/**
 * Finds the other active exemptions for the callers of one exemption. `covered_by` leaves it without effect;
 * `overlapped_by` applies without it.
 */
export function findCovering(
  rules: Rules,
  { kind, id, type, identifier, class: name }: ExceptionRow,
  now: Millis,
): Pick<Exception, 'covered_by' | 'overlapped_by'> {
  if (kind === 'grant') {
    // The rules keep them in the order in which they were read, which is no order of theirs.
    const others = rules
      .listGrants(identifier, now)
      .filter((grant) => grant.id !== id)
      .toSorted((a, b) => a.until - b.until || (a.id < b.id ? -1 : 1));
    return { covered_by: [], overlapped_by: others.map((grant) => ({ id: grant.id, identifier })) };
  }
  if (type === 'user_id') {
    const entry = kind === 'override' ? rules.findAllowedUser(identifier as UserId, now) : undefined;
    return { covered_by: entry === undefined ? [] : [{ id: entry.id, identifier }], overlapped_by: [] };
  }
  const range = type === 'ip' ? parseRange(identifier) : null;
  if (range === null) return { covered_by: [], overlapped_by: [] };
  const shorter = range.length - 1;
  return {
    covered_by: listWider(rules.allowedRanges, range, kind === 'override' ? range.length : shorter, now),
    overlapped_by: name === null ? [] : listWider(rules.overriddenRanges[name], range, shorter, now),
  };
}
