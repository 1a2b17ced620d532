import { requireSafeRange } from '@/lib/admin/allowlist/require-safe-range';
import { ALLOWLIST_ENTRIES, buildAllowlistEntry } from '@/lib/admin/allowlist/row';
import { change } from '@/lib/admin/change';
import { buildExceptionRecord, prepareException } from '@/lib/admin/exception-kind/exception-kind';
import { requireValidExpiry } from '@/lib/admin/expiry';
import { readExceptionPolicy, requireAllowedLife } from '@/lib/admin/policies/longest-life';
import { addAllowlistEntry as contract } from '@/lib/contract/allowlist';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import { implement } from '@/lib/operation/operation';

/** Lets an identifier bypass rate limiting. An active entry keeps its id and gets the new reason and expiry. */
export const addAllowlistEntry = implement(contract, (context, { body }) => {
  const { type, identifier, reason } = body;
  const expiresAt = requireValidExpiry(body.expires_at, context.now);
  return change(context, async (revision) => {
    const policy = await readExceptionPolicy(context.services);
    requireAllowedLife(policy.longest_days, expiresAt, context.now);
    const { active, origin, put } = await prepareException(context, ALLOWLIST_ENTRIES, body, revision);
    if (active === undefined) {
      requireSafeRange(policy, body);
    }
    const row = { ...origin, type, identifier, reason, expiresAt };
    return {
      audit: buildExceptionRecord(ALLOWLIST_ENTRIES, identifier, {
        before: active && buildAllowlistEntry(active),
        after: buildAllowlistEntry(row),
        reason,
      }),
      statements: put(row),
      result: { allowlisted: true as const, identifier, expires_at: formatTimestampOrNull(expiresAt) },
    };
  });
});
