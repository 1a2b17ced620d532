import { useCall } from '@/components/api/use-call';
import { getPolicies } from '@/lib/contract/policies';

export const policiesKey = ['policies'] as const;

export function usePolicies() {
  return useCall(policiesKey, getPolicies, {}, { staleTime: 30_000 });
}

/**
 * Builds a JSON merge patch (RFC 7396) that turns `before` into `after`. Both have the same members. Returns undefined
 * if they are equal. A list is replaced as a whole.
 */
export function buildMergePatch(before: unknown, after: unknown): unknown {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null) {
    return before === after ? undefined : after;
  }
  if (Array.isArray(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const old = new Map(Object.entries(before));
  const changes = Object.entries(after).flatMap(([name, value]) => {
    const change = buildMergePatch(old.get(name), value);
    return change === undefined ? [] : [[name, change] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
