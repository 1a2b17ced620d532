import { change } from '@/lib/admin/change';
import { buildExceptionRecord, placeFor } from '@/lib/admin/exception-kind/exception-kind';
import { checkedExpiry } from '@/lib/admin/expiry';
import { OVERRIDES, toOverride } from '@/lib/admin/overrides/row';
import { longestLife, requireShort } from '@/lib/admin/policies/longest-life';
import { lastUse } from '@/lib/admin/stored-list';
import { putOverride as contract } from '@/lib/contract/overrides';
import { implement } from '@/lib/operation/operation';

/** Overrides the limit of an identifier in one class, from the next decision on. An active override keeps its id. */
export const putOverride = implement(contract, (context, { body }) => {
  const { window_seconds: windowSeconds, expires_at: wanted, ...fields } = body;
  const edited = { ...fields, windowSeconds, expiresAt: checkedExpiry(wanted, context.now) };
  return change(context, async (revision) => {
    requireShort(await longestLife(context.services), edited.expiresAt, context.now);
    const { active, origin, put } = await placeFor(context, OVERRIDES, body, revision);
    const lastUsedAt = active === undefined ? null : await lastUse(context.services.database, 'override', active.id);
    const row = { ...origin, ...edited };
    const before = active && toOverride(active, lastUsedAt);
    const after = toOverride(row, lastUsedAt);
    const audit = buildExceptionRecord(OVERRIDES, body.identifier, { before, after, reason: body.reason });
    return { audit, statements: put(row), result: after };
  });
});
