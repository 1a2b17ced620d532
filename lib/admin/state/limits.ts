import { createLimitOrigin, planLimit } from '@/lib/admin/named-limits/stored';
import { markManaged } from '@/lib/admin/setting';
import { requireOnceEach } from '@/lib/admin/state/once-each';
import type { StatePlan } from '@/lib/admin/state/state-plan';
import type { StoredNamedLimit } from '@/lib/contract/fields/named-limit';
import type { NewNamedLimit } from '@/lib/contract/named-limits';
import { LIMITS_SETTING } from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';

/** Converts a named limit to its form in documents. */
export function buildLimitState({ id: _, created_at: __, created_by: ___, ...limit }: StoredNamedLimit): NewNamedLimit {
  return limit;
}

/**
 * Plans the changes of named limits, which documents identify by name.
 * @returns all limits after the change
 * @throws ApiError invalid_request
 */
export function planLimits(
  context: Context,
  plan: StatePlan,
  { wanted, stored, prune }: { wanted: readonly NewNamedLimit[]; stored: readonly StoredNamedLimit[]; prune: boolean },
): readonly StoredNamedLimit[] {
  requireOnceEach(
    'limits',
    wanted.map(({ name }) => name),
  );
  let present = stored;
  const change = (before: StoredNamedLimit | null, after: StoredNamedLimit | null) => {
    const { audit, statements, all } = planLimit(context, present, { before, after }, plan.next);
    plan.statements.push(...statements);
    plan.records.push(audit);
    const action = before === null ? 'create' : after === null ? 'delete' : 'update';
    const id = after?.name ?? before?.name ?? '';
    plan.changes.push({
      ...{ action, kind: 'limits', id },
      before: before && buildLimitState(before),
      after: after && buildLimitState(after),
    });
    present = all;
  };
  for (const limit of wanted) {
    const before = present.find(({ name }) => name === limit.name) ?? null;
    // The members of a stored limit may be in another order.
    if (
      before !== null &&
      JSON.stringify(buildLimitState(before)) === JSON.stringify({ ...buildLimitState(before), ...limit })
    )
      continue;
    change(before, { ...(before ?? createLimitOrigin(context, plan.next)), ...limit });
  }
  const named = new Set(wanted.map(({ name }) => name));
  if (prune) for (const limit of stored) if (!named.has(limit.name)) change(limit, null);
  plan.statements.push(markManaged(context, LIMITS_SETTING));
  return present;
}
