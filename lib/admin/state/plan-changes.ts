import { requireRuleLimits } from '@/lib/admin/route-rules/stored';
import { planAlerts, planPolicies, planRouteRules } from '@/lib/admin/state/documents';
import { addEffects } from '@/lib/admin/state/effects';
import { ALLOWLIST_SECTION, OVERRIDES_SECTION, planEntries } from '@/lib/admin/state/entries';
import { planGrants } from '@/lib/admin/state/grants';
import { planKeys } from '@/lib/admin/state/keys';
import { leaveOutRemoved } from '@/lib/admin/state/leave-out-removed';
import { planLimits } from '@/lib/admin/state/limits';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import { StatePlan } from '@/lib/admin/state/state-plan';
import type { StateDocument } from '@/lib/contract/state';
import type { ApiKeyId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import { takeTurn } from '@/lib/take-turn';

/**
 * Plans all changes that make the rules match a document. A missing section stays unchanged.
 * `plan` shows the result, and `apply` writes it.
 * @param prune whether to remove entries that their section does not name
 * @throws ApiError invalid_request with the path of an invalid entry
 */
export async function planChanges(
  context: Context,
  snapshot: Snapshot,
  document: StateDocument,
  prune: boolean,
): Promise<StatePlan> {
  const plan = new StatePlan(snapshot.revision + 1);
  const { policies, route_rules: routeRules, api_keys: keys, grants, allowlist, overrides } = document;
  if (policies !== undefined) planPolicies(context, plan, snapshot, policies, prune);
  const exceptions = { ...snapshot.policies.exceptions, ...policies?.exceptions };
  const longest = exceptions.longest_days;
  const named =
    document.limits === undefined
      ? snapshot.limits
      : planLimits(context, plan, { wanted: document.limits, stored: snapshot.limits, prune });
  const limits = new Set(named.map(({ name }) => name));
  const rules = { exceptions, limits: named };
  // Existing rules that name a limit take effect when the document creates it.
  const names = new Set([...limits, ...snapshot.limits.map(({ name }) => name)]);
  const before = leaveOutRemoved(snapshot, (name) => names.has(name));
  if (routeRules !== undefined) requireRuleLimits(routeRules, limits, 'route_rules.');
  if (routeRules !== undefined) planRouteRules(context, plan, before.routeRules, routeRules);
  const ids: ReadonlyMap<string, ApiKeyId> =
    keys === undefined
      ? new Map(snapshot.keys.map(({ name, id }) => [name, id]))
      : await planKeys(context, plan, { wanted: keys, rows: before.keys, prune, limits });
  if (grants !== undefined) planGrants(context, plan, ids, { wanted: grants, rows: snapshot.grants, prune, longest });
  if (allowlist !== undefined)
    await planEntries(context, plan, ALLOWLIST_SECTION, {
      wanted: allowlist,
      rows: snapshot.allowlist,
      prune,
      rules,
    });
  if (overrides !== undefined)
    await planEntries(context, plan, OVERRIDES_SECTION, {
      wanted: overrides,
      rows: before.overrides,
      prune,
      rules,
    });
  if (document.alerts !== undefined) planAlerts(context, plan, snapshot, document.alerts, prune);
  await takeTurn();
  await addEffects(context, snapshot, plan.changes);
  return plan;
}
