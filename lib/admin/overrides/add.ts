import { change } from '@/lib/admin/change';
import { buildExceptionRecord, placeFor } from '@/lib/admin/exception-kind/exception-kind';
import { checkedExpiry } from '@/lib/admin/expiry';
import { storedLimits } from '@/lib/admin/named-limits/stored';
import { requireNamed } from '@/lib/admin/overrides/require-named';
import { OVERRIDES, toNumberColumns, toOverride } from '@/lib/admin/overrides/row';
import { longestLife, requireShort } from '@/lib/admin/policies/longest-life';
import { lastUse } from '@/lib/admin/stored-list';
import { putOverride as contract } from '@/lib/contract/overrides';
import { implement } from '@/lib/operation/operation';

/**
 * Overrides the numbers of an identifier in one class, or of a subject under one named limit, from the next decision on.
 * An active override keeps its id.
 */
export const putOverride = implement(contract, (context, { body }) => {
  const { numbers, expires_at: wanted, ...fields } = body;
  const edited = { ...fields, ...toNumberColumns(numbers), expiresAt: checkedExpiry(wanted, context.now) };
  return change(context, async (revision) => {
    requireShort(await longestLife(context.services), edited.expiresAt, context.now);
    requireNamed(await storedLimits(context.services.database), body);
    const { active, origin, put } = await placeFor(context, OVERRIDES, body, revision);
    const lastUsedAt = active === undefined ? null : await lastUse(context.services.database, 'override', active.id);
    const row = { ...origin, ...edited };
    const before = active && toOverride(active, lastUsedAt);
    const after = toOverride(row, lastUsedAt);
    const audit = buildExceptionRecord(OVERRIDES, body.identifier, { before, after, reason: body.reason });
    return { audit, statements: put(row), result: after };
  });
});
