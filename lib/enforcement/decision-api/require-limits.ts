import type { Facts } from '@/lib/enforcement/plan';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { createInvalidField } from '@/lib/http/input';

/**
 * Requires that the named limits of checks exist, before any of the checks is counted. Reads the rules again if they may
 * be out of date.
 * @param isBatch whether a fault names the check by its position
 * @throws ApiError invalid_request, DatabaseUnavailable
 */
export async function requireLimits(
  rules: Pick<RulesCache, 'current' | 'readFresh'>,
  checks: readonly Facts[],
  isBatch = false,
): Promise<void> {
  if (findMissingLimit(rules.current, checks) === null) return;
  const unknown = findMissingLimit(await rules.readFresh(), checks);
  if (unknown === null) return;
  const [check, limit] = unknown;
  throw createInvalidField(`${isBatch ? `${check}.` : ''}limits.${limit}.name`, 'must name a limit');
}

/** Returns the positions of the first check and limit whose name no limit has. */
function findMissingLimit({ limits }: RulesCache['current'], checks: readonly Facts[]): [number, number] | null {
  for (const [check, { limits: named = [] }] of checks.entries()) {
    const limit = named.findIndex(({ name }) => !limits.has(name));
    if (limit >= 0) return [check, limit];
  }
  return null;
}
