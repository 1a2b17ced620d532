import { type DocumentKind, readSetting } from '@/lib/admin/setting';
import { type RouteRules, StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import type { Database } from '@/lib/db/database';
import type { NamedLimits } from '@/lib/enforcement/named-limits';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import { createInvalidField } from '@/lib/http/input';

export const ROUTE_RULES_DOCUMENT: DocumentKind = { name: ROUTE_RULES_SETTING, action: 'route_rules.replace' };

/**
 * Requires that the named limits of rules exist.
 * @param path of the rules in the body, with a dot at its end
 * @throws ApiError invalid_request
 */
export function requireRuleLimits(rules: RouteRules, limits: Pick<NamedLimits, 'has'>, path = ''): void {
  for (const [index, { limits: named = [] }] of rules.entries()) {
    const unknown = named.findIndex(({ name }) => !limits.has(name));
    if (unknown >= 0) throw createInvalidField(`${path}${index}.limits.${unknown}.name`, 'must name a limit');
  }
}

/** Reads the stored route rules. Empty in a new installation. */
export async function readStoredRouteRules(database: Database): Promise<RouteRules> {
  return StoredRouteRulesSchema.parse((await readSetting(database, ROUTE_RULES_SETTING)) ?? []);
}
