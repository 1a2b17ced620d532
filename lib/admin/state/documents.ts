import { settings } from '@/drizzle/schema';
import { effectivePolicies } from '@/lib/admin/policies/in-force';
import { ALERTS_SETTING, type SettingName, writeSetting } from '@/lib/admin/setting';
import type { Snapshot } from '@/lib/admin/state/snapshot';
import type { StatePlan } from '@/lib/admin/state/state-plan';
import { AlertSettingsSchema, type AlertsState } from '@/lib/contract/alerts';
import { mergePatch, type PoliciesPatch } from '@/lib/contract/policies';
import type { RouteRules } from '@/lib/contract/route-rules';
import type { StateKind } from '@/lib/contract/state-release';
import type { Statement } from '@/lib/db/database';
import { POLICIES_SETTING, ROUTE_RULES_SETTING } from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';

/** Plans the change of the policies: a patch over what there is, or with `prune` over the defaults. */
export function planPolicies(
  context: Context,
  plan: StatePlan,
  { patch, policies: before }: Snapshot,
  wanted: PoliciesPatch,
  prune: boolean,
): void {
  const stored = prune ? wanted : mergePatch(patch, wanted);
  const after = effectivePolicies(context.services, stored);
  planDocument(context, plan, {
    ...{ kind: 'policies', name: POLICIES_SETTING, action: 'policies.update' },
    ...{ before, after, stored: { before: patch, after: stored } },
  });
}

/** Plans the change of the route rules, which are one list: their order decides. */
export function planRouteRules(context: Context, plan: StatePlan, before: RouteRules, after: RouteRules): void {
  planDocument(context, plan, {
    ...{ kind: 'route_rules', name: ROUTE_RULES_SETTING, action: 'route_rules.replace' },
    ...{ before, after, stored: { before, after } },
  });
}

/** Plans the change of the alerts: the sections that are there, over the others or with `prune` over the defaults. */
export function planAlerts(
  context: Context,
  plan: StatePlan,
  { alertSections, alerts: before }: Snapshot,
  wanted: AlertsState,
  prune: boolean,
): void {
  const stored = prune ? wanted : { ...alertSections, ...wanted };
  planDocument(context, plan, {
    ...{ kind: 'alerts', name: ALERTS_SETTING, action: 'alerts.update' },
    ...{ before, after: AlertSettingsSchema.parse(stored), stored: { before: alertSections, after: stored } },
  });
}

interface PlannedDocument {
  kind: Extract<StateKind, 'policies' | 'route_rules' | 'alerts'>;
  name: SettingName;
  action: 'policies.update' | 'route_rules.replace' | 'alerts.update';
  before: unknown;
  after: unknown;
  stored: { before: unknown; after: unknown };
}

function planDocument(context: Context, plan: StatePlan, planned: PlannedDocument): void {
  const { kind, name, action, before, after, stored } = planned;
  const { database } = context.services;
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    plan.statements.push(...writeSetting(database, name, stored, context.now, plan.next));
    plan.records.push({ action, target: name, before, after });
    plan.changes.push({ action: 'update', kind, id: kind, before, after });
  }
  plan.statements.push(mark(context, name));
}

/** Marks a document as managed. Where none was ever stored, an empty one stands for it. */
function mark({ services, now }: Context, name: SettingName): Statement {
  const value = name === ROUTE_RULES_SETTING ? '[]' : '{}';
  return services.database.drizzle
    .insert(settings)
    .values({ name, value, updatedAt: now, revision: 0, managed: true })
    .onConflictDoUpdate({ target: settings.name, set: { managed: true } });
}
