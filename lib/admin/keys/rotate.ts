import { change } from '@/lib/admin/change';
import { planEdit, requireRegisteredKey } from '@/lib/admin/keys/row';
import { createPrefixedSecret } from '@/lib/admin/new-row';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import { rotateApiKey as contract } from '@/lib/contract/keys';
import { implement } from '@/lib/operation/operation';

/** Gives a key a new secret. The previous one works until the grace period ends. */
export const rotateApiKey = implement(contract, (context, { params, body }) => {
  const { database, randomBytes } = context.services;
  const grace = body?.grace_seconds ?? 0;
  return change(context, async (revision) => {
    const key = await requireRegisteredKey(database, params.id);
    const { secret, prefix, secretHash } = createPrefixedSecret('slk_', randomBytes);
    const previousSecretUntil = grace === 0 ? null : context.now + grace * 1000;
    const previousSecretHash = grace === 0 ? null : key.secretHash;
    const rotated = { prefix, secretHash, previousSecretHash, previousSecretUntil, revision };
    return {
      ...planEdit(context, 'api_key.rotate', key, rotated),
      result: { id: key.id, secret, prefix, previous_secret_until: formatTimestampOrNull(previousSecretUntil) },
    };
  });
});
