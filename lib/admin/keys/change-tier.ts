import { change } from '@/lib/admin/change';
import { editing, unchangedKey } from '@/lib/admin/keys/row';
import { changeTier as contract } from '@/lib/contract/quota';
import { revisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Gives a key another tier, from the next decision on. The usage stays what it is. */
export const changeTier = implement(contract, (context, { params, body: { tier } }) =>
  change(context, async (revision) => {
    const key = await unchangedKey(context, params.api_key);
    const overageAllowed = key.overageAllowed && tier !== 'free';
    const before = { tier: key.tier, overage_allowed: key.overageAllowed };
    const after = { tier, overage_allowed: overageAllowed };
    return {
      ...editing(context, 'quota.tier', key, { tier, overageAllowed, revision }, { before, after }),
      result: new Reply({ status: 'updated' as const, tier }, { headers: { ETag: revisionTag(revision) } }),
    };
  }),
);
