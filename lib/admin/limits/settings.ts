import { eq } from 'drizzle-orm';
import { settings } from '@/drizzle/schema';
import { DEFAULT_POLICIES, mergePatch, type Policies, PoliciesPatch } from '@/lib/contract/policies';
import { type RouteRules, StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import type { Database, Statement } from '@/lib/db/database';
import { POLICIES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import type { Services } from '@/lib/operation/services';

/** What was changed at run time, one patch over the other. */
export async function storedPatch({ database }: Services): Promise<PoliciesPatch> {
  return PoliciesPatch.parse((await readSetting(database, POLICIES_SETTING)) ?? {});
}

/** The policies in force: the defaults, what `SLUICE_POLICIES` says over them, and the stored patch over both. */
export function effectivePolicies({ config }: Services, stored: PoliciesPatch): Policies {
  return mergePatch(mergePatch(DEFAULT_POLICIES, config.SLUICE_POLICIES ?? {}), stored);
}

type SettingName = typeof POLICIES_SETTING | typeof ROUTE_RULES_SETTING;

/** A stored document, undefined when it was never changed. */
async function readSetting({ drizzle }: Database, name: SettingName): Promise<unknown> {
  const [row] = await drizzle.select().from(settings).where(eq(settings.name, name));
  return row && JSON.parse(row.value);
}

export function writeSetting(
  database: Database,
  name: SettingName,
  document: unknown,
  now: number,
  revision: number,
): Statement {
  const row = { value: JSON.stringify(document), updatedAt: now, revision };
  return database.drizzle
    .insert(settings)
    .values({ name, ...row })
    .onConflictDoUpdate({ target: settings.name, set: row });
}

/** The route rules as they were stored last; none in a fresh installation. */
export async function storedRouteRules(database: Database): Promise<RouteRules> {
  return StoredRouteRulesSchema.parse((await readSetting(database, ROUTE_RULES_SETTING)) ?? []);
}
