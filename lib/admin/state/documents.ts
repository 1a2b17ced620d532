import { ALERTS_DOCUMENT } from '@/lib/admin/alerts/settings';
import { computeEffectivePolicies, POLICIES_DOCUMENT } from '@/lib/admin/policies/in-force';
import { ROUTE_RULES_DOCUMENT } from '@/lib/admin/route-rules/stored';
import { markManaged, planDocument, type Versions } from '@/lib/admin/setting';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import type { StatePlan } from '@/lib/admin/state/state-plan';
import { AlertSettingsSchema, type AlertsState } from '@/lib/contract/alerts';
import { mergePatch, type PoliciesPatch } from '@/lib/contract/policies';
import type { RouteRules } from '@/lib/contract/route-rules';
import { LIMITS_SETTING } from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';

/** Stored documents that a state document can set. */
export const DOCUMENTS = {
  policies: POLICIES_DOCUMENT,
  limits: { name: LIMITS_SETTING },
  route_rules: ROUTE_RULES_DOCUMENT,
  alerts: ALERTS_DOCUMENT,
} as const;

/** Plans the change of the policies: a patch over the present one, or over the defaults with `prune`. */
export function planPolicies(
  context: Context,
  plan: StatePlan,
  { patch, policies: before }: Snapshot,
  wanted: PoliciesPatch,
  prune: boolean,
): void {
  const stored = { before: patch, after: prune ? wanted : mergePatch(patch, wanted) };
  const after = computeEffectivePolicies(context.services, stored.after);
  planVersions(context, plan, 'policies', { before, after, stored });
}

/** Plans the change of the route rules, which are one list because their order matters. */
export function planRouteRules(context: Context, plan: StatePlan, before: RouteRules, after: RouteRules): void {
  planVersions(context, plan, 'route_rules', { before, after });
}

/**
 * Plans the change of the alert settings: the given sections over the present ones, or over the defaults with `prune`.
 */
export function planAlerts(
  context: Context,
  plan: StatePlan,
  { alertSections, alerts: before }: Snapshot,
  wanted: AlertsState,
  prune: boolean,
): void {
  const stored = { before: alertSections, after: prune ? wanted : { ...alertSections, ...wanted } };
  planVersions(context, plan, 'alerts', { before, after: AlertSettingsSchema.parse(stored.after), stored });
}

function planVersions(
  context: Context,
  plan: StatePlan,
  kind: Exclude<keyof typeof DOCUMENTS, 'limits'>,
  versions: Versions,
): void {
  const { before, after } = versions;
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    const { audit, statements } = planDocument(context, DOCUMENTS[kind], versions, plan.next);
    plan.statements.push(...statements);
    plan.records.push(audit);
    plan.changes.push({ action: 'update', kind, id: kind, before, after });
  }
  plan.statements.push(markManaged(context, DOCUMENTS[kind].name));
}
