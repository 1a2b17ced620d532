import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { allowlist, apiKeys, grants, overrides, settings } from '@/drizzle/schema';
import { effectivePolicies } from '@/lib/admin/limits/settings';
import { PoliciesPatch } from '@/lib/contract/policies';
import { StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import { newestRevision } from '@/lib/db/newest-revision';
import { POLICIES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/** All rules that a document can name, as of one moment; entries that have expired and stand in the way of new ones too. */
export async function readSnapshot(services: Services, now: Millis) {
  const { drizzle } = services.database;
  const [[newest], documents, keys, granted, allowed, overridden] = await drizzle.batch([
    newestRevision(services.database),
    drizzle.select().from(settings),
    drizzle.select().from(apiKeys).where(isNull(apiKeys.revokedAt)).orderBy(asc(apiKeys.name)),
    drizzle
      .select({ grant: grants, name: apiKeys.name })
      .from(grants)
      .innerJoin(apiKeys, and(eq(apiKeys.id, grants.apiKeyId), isNull(apiKeys.revokedAt)))
      .where(and(isNull(grants.removedAt), gt(grants.until, now)))
      .orderBy(asc(apiKeys.name), asc(grants.until), asc(grants.id)),
    drizzle
      .select()
      .from(allowlist)
      .where(isNull(allowlist.removedAt))
      .orderBy(asc(allowlist.type), asc(allowlist.identifier)),
    drizzle
      .select()
      .from(overrides)
      .where(isNull(overrides.removedAt))
      .orderBy(asc(overrides.type), asc(overrides.identifier), asc(overrides.class)),
  ]);
  const document = (name: string) => {
    const row = documents.find((setting) => setting.name === name);
    return row && JSON.parse(row.value);
  };
  const patch = PoliciesPatch.parse(document(POLICIES_SETTING) ?? {});
  return {
    revision: newest?.seq ?? 0,
    /** What was changed of the policies at run time. */
    patch,
    policies: effectivePolicies(services, patch),
    routeRules: StoredRouteRulesSchema.parse(document(ROUTE_RULES_SETTING) ?? []),
    keys,
    grants: granted,
    allowlist: allowed,
    overrides: overridden,
  };
}

export type Snapshot = Awaited<ReturnType<typeof readSnapshot>>;
