import { change } from '@/lib/admin/change';
import { checkedExpiry } from '@/lib/admin/expiry';
import {
  movedMonths,
  planEdit,
  requireFreeName,
  requireOverageTier,
  toApiKey,
  unchangedKey,
} from '@/lib/admin/keys/row';
import { updateApiKey as contract } from '@/lib/contract/keys';
import { revisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Edits the properties of a key. Its usage stays. */
export const updateApiKey = implement(contract, (context, { params, body }) => {
  const expiresAt = checkedExpiry(body.expires_at, context.now);
  return change(context, async (revision) => {
    const key = await unchangedKey(context, params.id);
    const edited = {
      name: body.name ?? key.name,
      clientType: body.client_type ?? key.clientType,
      userId: body.user_id === undefined ? key.userId : body.user_id,
      expiresAt: body.expires_at === undefined ? key.expiresAt : expiresAt,
      overageAllowed: body.overage_allowed ?? key.overageAllowed,
      ...movedMonths(key, body.month_starts_on ?? key.monthStartsOn, context.now),
      revision,
    };
    requireOverageTier(key.tier, edited.overageAllowed);
    await requireFreeName(context.services.database, edited.name, key.id);
    return {
      ...planEdit(context, 'api_key.update', key, edited),
      result: new Reply(toApiKey({ ...key, ...edited }), { headers: { ETag: revisionTag(revision) } }),
    };
  });
});
