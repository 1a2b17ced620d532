import { eq } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { API_KEY_TARGET, registeredKey, toApiKey } from '@/lib/admin/keys/row';
import { ApiKeyPath } from '@/lib/contract/keys';
import { requireMatch, revisionTag } from '@/lib/http/entity-tag';
import { operation } from '@/lib/operation/operation';

/** Ends a key for good, from the next decision on. */
export const revokeApiKey = operation({
  id: 'revokeApiKey',
  method: 'DELETE',
  path: '/v1/admin/api-keys/{id}',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description: 'Neither its secret nor one before a rotation works any more. Its name becomes free; its record stays.',
  access: 'owner',
  params: ApiKeyPath,
  response: { status: 204, description: 'The key is revoked.' },
  errors: ['not_found', 'conflict'],
  conditional: true,
  run: (context, { params }) => {
    const { database } = context.services;
    return change(context, async (revision) => {
      const key = await registeredKey(database, params.id);
      requireMatch(context.request, revisionTag(key.revision));
      const revoked = { revokedAt: context.now, previousSecretHash: null, previousSecretUntil: null, revision };
      return {
        audit: {
          action: 'api_key.revoke',
          targetType: API_KEY_TARGET,
          target: key.id,
          before: toApiKey(key),
          after: toApiKey({ ...key, ...revoked }),
        },
        statements: [database.drizzle.update(apiKeys).set(revoked).where(eq(apiKeys.id, key.id))],
        result: undefined,
      };
    });
  },
});
