import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { requireValidExpiry } from '@/lib/admin/expiry';
import { buildApiKey, buildKey, requireFreeName, requireOverageTier } from '@/lib/admin/keys/row';
import { createApiKey as contract } from '@/lib/contract/keys';
import { buildRevisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Creates a key. Only this answer contains its secret. */
export const createApiKey = implement(contract, (context, { body }) => {
  const { database } = context.services;
  const { name, tier, client_type: clientType, user_id: userId = null, overage_allowed: overageAllowed } = body;
  const expiresAt = requireValidExpiry(body.expires_at, context.now);
  requireOverageTier(tier, overageAllowed);
  return change(context, async (revision) => {
    await requireFreeName(database, name, null);
    const { row, secret, audit } = buildKey(context, revision, {
      name,
      tier,
      clientType,
      userId,
      overageAllowed,
      monthStartsOn: body.month_starts_on,
      monthShift: 0,
      expiresAt,
      limits: null,
      managed: false,
    });
    return {
      audit,
      statements: [database.drizzle.insert(apiKeys).values(row)],
      result: new Reply(
        { ...buildApiKey(row), secret },
        { headers: { Location: `${contract.path}/${row.id}`, ETag: buildRevisionTag(revision) } },
      ),
    };
  });
});
