import { change } from '@/lib/admin/change';
import { planEdit, requireUnchangedKey } from '@/lib/admin/keys/row';
import { changeTier as contract } from '@/lib/contract/quota';
import { buildRevisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Changes the tier of a key, from the next decision on. Its usage stays. */
export const changeTier = implement(contract, (context, { params, body: { tier } }) =>
  change(context, async (revision) => {
    const key = await requireUnchangedKey(context, params.api_key);
    const overageAllowed = key.overageAllowed && tier !== 'free';
    return {
      ...planEdit(context, 'quota.tier', key, { tier, overageAllowed, revision }),
      result: new Reply({ status: 'updated' as const, tier }, { headers: { ETag: buildRevisionTag(revision) } }),
    };
  }),
);
