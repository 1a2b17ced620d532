import { eq } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { checkedExpiry } from '@/lib/admin/exceptions';
import { API_KEY_TARGET, registeredKey, requireFreeName, requireOverageTier, toApiKey } from '@/lib/admin/keys/row';
import { updateApiKey as contract } from '@/lib/contract/keys';
import { requireMatch, revisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Edits what a key is called and may do. Its usage stays what it is. */
export const updateApiKey = implement(contract, (context, { params, body }) => {
  const { database } = context.services;
  const expiresAt = checkedExpiry(body.expires_at, context.now);
  return change(context, async (revision) => {
    const key = await registeredKey(database, params.id);
    requireMatch(context.facts.ifMatch, revisionTag(key.revision));
    const edited = {
      ...key,
      name: body.name ?? key.name,
      clientType: body.client_type ?? key.clientType,
      userId: body.user_id === undefined ? key.userId : body.user_id,
      expiresAt: body.expires_at === undefined ? key.expiresAt : expiresAt,
      overageAllowed: body.overage_allowed ?? key.overageAllowed,
      revision,
    };
    requireOverageTier(edited.tier, edited.overageAllowed);
    await requireFreeName(database, edited.name, key.id);
    const { name, clientType, userId, overageAllowed } = edited;
    return {
      audit: {
        action: 'api_key.update',
        targetType: API_KEY_TARGET,
        target: key.id,
        before: toApiKey(key),
        after: toApiKey(edited),
      },
      statements: [
        database.drizzle
          .update(apiKeys)
          .set({ name, clientType, userId, expiresAt: edited.expiresAt, overageAllowed, revision })
          .where(eq(apiKeys.id, key.id)),
      ],
      result: new Reply(toApiKey(edited), { headers: { ETag: revisionTag(revision) } }),
    };
  });
});
