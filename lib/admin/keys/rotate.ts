import { eq } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { API_KEY_TARGET, registeredKey, toApiKey } from '@/lib/admin/keys/row';
import { newApiKeySecret } from '@/lib/admin/keys/secret';
import { toInstantOrNull } from '@/lib/contract/fields/instant';
import { rotateApiKey as contract } from '@/lib/contract/keys';
import { implement } from '@/lib/operation/operation';

/** Gives a key a new secret; the old one works through the grace. */
export const rotateApiKey = implement(contract, (context, { params, body }) => {
  const { database, randomBytes } = context.services;
  const grace = body?.grace_seconds ?? 0;
  return change(context, async (revision) => {
    const key = await registeredKey(database, params.id);
    const { secret, prefix, secretHash } = newApiKeySecret(randomBytes);
    const rotated = {
      prefix,
      secretHash,
      previousSecretHash: grace === 0 ? null : key.secretHash,
      previousSecretUntil: grace === 0 ? null : context.now + grace * 1000,
      revision,
    };
    return {
      audit: {
        action: 'api_key.rotate',
        targetType: API_KEY_TARGET,
        target: key.id,
        before: toApiKey(key),
        after: toApiKey({ ...key, ...rotated }),
      },
      statements: [database.drizzle.update(apiKeys).set(rotated).where(eq(apiKeys.id, key.id))],
      result: { id: key.id, secret, prefix, previous_secret_until: toInstantOrNull(rotated.previousSecretUntil) },
    };
  });
});
