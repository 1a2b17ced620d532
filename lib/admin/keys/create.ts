import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { checkedExpiry } from '@/lib/admin/exceptions';
import { API_KEY_TARGET, type ApiKeyRow, requireFreeName, requireOverageTier, toApiKey } from '@/lib/admin/keys/row';
import { newApiKeySecret } from '@/lib/admin/keys/secret';
import { randomUuid } from '@/lib/admin/new-row';
import { createApiKey as contract } from '@/lib/contract/keys';
import { revisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Makes a key; its secret is in this answer and nowhere else. */
export const createApiKey = implement(contract, (context, { body }) => {
  const { database, randomBytes } = context.services;
  const expiresAt = checkedExpiry(body.expires_at, context.now);
  requireOverageTier(body.tier, body.overage_allowed);
  return change(context, async (revision) => {
    await requireFreeName(database, body.name, null);
    const { secret, prefix, secretHash } = newApiKeySecret(randomBytes);
    const row: ApiKeyRow = {
      id: randomUuid(randomBytes),
      name: body.name,
      tier: body.tier,
      clientType: body.client_type,
      userId: body.user_id ?? null,
      prefix,
      secretHash,
      previousSecretHash: null,
      previousSecretUntil: null,
      overageAllowed: body.overage_allowed,
      expiresAt,
      createdAt: context.now,
      createdBy: context.actor.name,
      revokedAt: null,
      revision,
    };
    const key = toApiKey(row);
    return {
      audit: { action: 'api_key.create', targetType: API_KEY_TARGET, target: row.id, after: key },
      statements: [database.drizzle.insert(apiKeys).values(row)],
      result: new Reply(
        { ...key, secret },
        { headers: { Location: `/v1/admin/api-keys/${row.id}`, ETag: revisionTag(revision) } },
      ),
    };
  });
});
