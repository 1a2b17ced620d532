import { eq } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { API_KEY_TARGET, registeredKey } from '@/lib/admin/keys/row';
import { changeTier as contract } from '@/lib/contract/quota';
import { requireMatch, revisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Gives a key another tier, from the next decision on. The usage stays what it is. */
export const changeTier = implement(contract, (context, { params, body: { tier } }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const key = await registeredKey(database, params.api_key);
    requireMatch(context.facts.ifMatch, revisionTag(key.revision));
    const overageAllowed = key.overageAllowed && tier !== 'free';
    return {
      audit: {
        action: 'quota.tier',
        targetType: API_KEY_TARGET,
        target: key.id,
        before: { tier: key.tier, overage_allowed: key.overageAllowed },
        after: { tier, overage_allowed: overageAllowed },
      },
      statements: [
        database.drizzle.update(apiKeys).set({ tier, overageAllowed, revision }).where(eq(apiKeys.id, key.id)),
      ],
      result: new Reply({ status: 'updated' as const, tier }, { headers: { ETag: revisionTag(revision) } }),
    };
  });
});
