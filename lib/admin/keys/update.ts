import { eq } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { checkedExpiry } from '@/lib/admin/expiry';
import { API_KEY_TARGET, registeredKey, toApiKey } from '@/lib/admin/keys/row';
import { requireFreeName, requireOverageTier } from '@/lib/admin/keys/rules';
import { ApiKeyPatch, ApiKeyPath, ApiKeySchema } from '@/lib/contract/keys';
import { requireMatch, revisionTag } from '@/lib/http/entity-tag';
import { operation, Reply } from '@/lib/operation/operation';

/** Edits what a key is called and may do. Its usage stays what it is. */
export const updateApiKey = operation({
  id: 'updateApiKey',
  method: 'PATCH',
  path: '/v1/admin/api-keys/{id}',
  tag: 'API keys',
  summary: 'Edit an API key',
  description:
    'What is absent stays; null takes the user or the expiry away. The tier is changed with its own operation.',
  access: 'owner',
  params: ApiKeyPath,
  body: { schema: ApiKeyPatch, required: true, mediaTypes: ['application/merge-patch+json'] },
  response: {
    status: 200,
    description: 'The key as it is now.',
    schema: ApiKeySchema,
    headers: { ETag: "Of the key's settings." },
  },
  errors: ['not_found', 'conflict'],
  conditional: true,
  run: (context, { params, body }) => {
    const { database } = context.services;
    const expiresAt = checkedExpiry(body.expires_at, context.now);
    return change(context, async (revision) => {
      const key = await registeredKey(database, params.id);
      requireMatch(context.request, revisionTag(key.revision));
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
  },
});
