import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { checkedExpiry } from '@/lib/admin/expiry';
import { requireFreeName, requireOverageTier, toApiKey } from '@/lib/admin/keys/row';
import { newRow, newSecret, randomUuid } from '@/lib/admin/new-row';
import { createApiKey as contract } from '@/lib/contract/keys';
import { revisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Makes a key; its secret is in this answer and nowhere else. */
export const createApiKey = implement(contract, (context, { body }) => {
  const { database, randomBytes } = context.services;
  const { name, tier, client_type: clientType, user_id: userId = null, overage_allowed: overageAllowed } = body;
  const expiresAt = checkedExpiry(body.expires_at, context.now);
  requireOverageTier(tier, overageAllowed);
  return change(context, async (revision) => {
    await requireFreeName(database, name, null);
    const { secret, prefix, secretHash } = newSecret('slk_', randomBytes);
    const rights = {
      tier,
      clientType,
      userId,
      overageAllowed,
      monthStartsOn: body.month_starts_on,
      monthShift: 0,
      expiresAt,
    };
    const ended = { previousSecretHash: null, previousSecretUntil: null, revokedAt: null, managed: false };
    const id = randomUuid(randomBytes);
    const row = { id, name, ...rights, prefix, secretHash, ...ended, ...newRow(context, revision) };
    const key = toApiKey(row);
    return {
      audit: { action: 'api_key.create', target: id, after: key },
      statements: [database.drizzle.insert(apiKeys).values(row)],
      result: new Reply(
        { ...key, secret },
        { headers: { Location: `${contract.path}/${id}`, ETag: revisionTag(revision) } },
      ),
    };
  });
});
