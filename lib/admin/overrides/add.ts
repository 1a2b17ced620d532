import { change } from '@/lib/admin/change';
import { buildExceptionRecord, prepareException } from '@/lib/admin/exception-kind/exception-kind';
import { requireValidExpiry } from '@/lib/admin/expiry';
import { readStoredLimits } from '@/lib/admin/named-limits/stored';
import { requireNamedLimit } from '@/lib/admin/overrides/require-named';
import { buildNumberColumns, buildOverride, OVERRIDES } from '@/lib/admin/overrides/row';
import { readLongestLife, requireAllowedLife } from '@/lib/admin/policies/longest-life';
import { readLastUse } from '@/lib/admin/stored-list';
import { putOverride as contract } from '@/lib/contract/overrides';
import { implement } from '@/lib/operation/operation';

/**
 * Overrides the numbers of an identifier in one class, or of a subject under one named limit, from the next decision on.
 * An active override keeps its id.
 */
export const putOverride = implement(contract, (context, { body }) => {
  const { numbers, expires_at: wanted, ...fields } = body;
  const edited = { ...fields, ...buildNumberColumns(numbers), expiresAt: requireValidExpiry(wanted, context.now) };
  return change(context, async (revision) => {
    requireAllowedLife(await readLongestLife(context.services), edited.expiresAt, context.now);
    requireNamedLimit(await readStoredLimits(context.services.database), body);
    const { active, origin, put } = await prepareException(context, OVERRIDES, body, revision);
    const lastUsedAt =
      active === undefined ? null : await readLastUse(context.services.database, 'override', active.id);
    const row = { ...origin, ...edited };
    const before = active && buildOverride(active, lastUsedAt);
    const after = buildOverride(row, lastUsedAt);
    const audit = buildExceptionRecord(OVERRIDES, body.identifier, { before, after, reason: body.reason });
    return { audit, statements: put(row), result: after };
  });
});
