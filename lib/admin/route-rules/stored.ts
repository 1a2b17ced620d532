import { type DocumentKind, readSetting } from '@/lib/admin/setting';
import { type RouteRules, StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import type { Database } from '@/lib/db/database';
import { ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';

export const ROUTE_RULES_DOCUMENT: DocumentKind = { name: ROUTE_RULES_SETTING, action: 'route_rules.replace' };

/** Reads the stored route rules. Empty in a new installation. */
export async function storedRouteRules(database: Database): Promise<RouteRules> {
  return StoredRouteRulesSchema.parse((await readSetting(database, ROUTE_RULES_SETTING)) ?? []);
}
