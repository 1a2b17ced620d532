import { eq } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { API_KEY_TARGET, registeredKey, toApiKey } from '@/lib/admin/keys/row';
import { revokeApiKey as contract } from '@/lib/contract/keys';
import { requireMatch, revisionTag } from '@/lib/operation/entity-tag';
import { implement } from '@/lib/operation/operation';

/** Ends a key for good, from the next decision on. */
export const revokeApiKey = implement(contract, (context, { params }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const key = await registeredKey(database, params.id);
    requireMatch(context.facts.ifMatch, revisionTag(key.revision));
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
});
