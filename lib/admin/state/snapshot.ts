import { effectivePolicies } from '@/lib/admin/policies/in-force';
import { ALERTS_SETTING } from '@/lib/admin/setting';
import { AlertSettingsSchema, AlertsState } from '@/lib/contract/alerts';
import { PoliciesPatch } from '@/lib/contract/policies';
import { StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import { ALL_COLUMNS, readRuleRows } from '@/lib/enforcement/read-rule-rows';
import { POLICIES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/**
 * Reads all rules that a document can name, sorted, as of one time.
 * Includes expired entries, because they block new ones of the same identifier.
 */
export async function readSnapshot(services: Services, now: Millis) {
  const { newest, documents, ...rows } = await readRuleRows(services.database, 0, ALL_COLUMNS);
  const document = (name: string) => {
    const row = documents.find((setting) => setting.name === name);
    return row && JSON.parse(row.value);
  };
  const patch = PoliciesPatch.parse(document(POLICIES_SETTING) ?? {});
  const alertSections = AlertsState.parse(document(ALERTS_SETTING) ?? {});
  const keys = [...rows.keys].filter(({ revokedAt }) => revokedAt === null);
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const isThere = ({ removedAt }: { removedAt: Millis | null }) => removedAt === null;
  return {
    revision: newest.seq,
    /** Patch of all changes of the policies at run time. */
    patch,
    policies: effectivePolicies(services, patch),
    routeRules: StoredRouteRulesSchema.parse(document(ROUTE_RULES_SETTING) ?? []),
    /** Sections of the alert settings that were ever set. */
    alertSections,
    alerts: AlertSettingsSchema.parse(alertSections),
    keys: sorted(keys, ({ name }) => [name]),
    /** Active grants of keys that are not revoked. */
    grants: sorted(
      [...rows.granted].flatMap((grant) => {
        const name = names.get(grant.apiKeyId);
        return name === undefined || !isThere(grant) || grant.until <= now ? [] : [{ grant, name }];
      }),
      ({ name, grant }) => [name, grant.reason, String(grant.until).padStart(16), grant.id],
    ),
    allowlist: sorted([...rows.allowed].filter(isThere), ({ type, identifier }) => [type, identifier]),
    overrides: sorted([...rows.overridden].filter(isThere), (row) => [row.type, row.identifier, row.class]),
  };
}

export type Snapshot = Awaited<ReturnType<typeof readSnapshot>>;

/** Sorts by code units, which do not depend on a locale. */
function sorted<T>(rows: readonly T[], keyOf: (row: T) => readonly string[]): T[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row).join('\u0000') }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return keyed.map(({ row }) => row);
}
