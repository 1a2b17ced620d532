import { change } from '@/lib/admin/change';
import { planEdit, requireUnchangedKey } from '@/lib/admin/keys/row';
import { revokeApiKey as contract } from '@/lib/contract/keys';
import { implement } from '@/lib/operation/operation';

/** Revokes a key permanently, from the next decision on. */
export const revokeApiKey = implement(contract, (context, { params }) =>
  change(context, async (revision) => {
    const key = await requireUnchangedKey(context, params.id);
    const revoked = { revokedAt: context.now, revision };
    return planEdit(context, 'api_key.revoke', key, revoked);
  }),
);
