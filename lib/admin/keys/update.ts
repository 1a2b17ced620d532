import type { z } from 'zod';
import { change } from '@/lib/admin/change';
import { requireValidExpiry } from '@/lib/admin/expiry';
import {
  type ApiKeyRow,
  buildApiKey,
  moveMonths,
  planEdit,
  readKeyLimits,
  requireFreeName,
  requireOverageTier,
  requireUnchangedKey,
  writeKeyLimits,
} from '@/lib/admin/keys/row';
import type { KeyLimitsPatch } from '@/lib/contract/fields/named-limit';
import { updateApiKey as contract } from '@/lib/contract/keys';
import { createInvalidField } from '@/lib/http/input';
import type { Context } from '@/lib/operation/context';
import { buildRevisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Applies changes to the windows of a key. @throws ApiError invalid_request if a limit does not exist */
async function patchLimits({ services }: Context, key: ApiKeyRow, patch: z.output<typeof KeyLimitsPatch>) {
  const { limits: namedLimits } = await services.rules.readFresh();
  const before = readKeyLimits(key);
  for (const [name, windows] of Object.entries(patch))
    if (windows !== null && !namedLimits.has(name)) throw createInvalidField(`limits.${name}`, 'must name a limit');
  const after = Object.entries({ ...before, ...patch }).flatMap(([name, windows]) =>
    windows ? [[name, windows]] : [],
  );
  return writeKeyLimits(Object.fromEntries(after));
}

/** Edits the properties of a key. Its usage stays. */
export const updateApiKey = implement(contract, (context, { params, body }) => {
  const expiresAt = requireValidExpiry(body.expires_at, context.now);
  return change(context, async (revision) => {
    const key = await requireUnchangedKey(context, params.id);
    const edited = {
      name: body.name ?? key.name,
      clientType: body.client_type ?? key.clientType,
      userId: body.user_id === undefined ? key.userId : body.user_id,
      expiresAt: body.expires_at === undefined ? key.expiresAt : expiresAt,
      overageAllowed: body.overage_allowed ?? key.overageAllowed,
      limits: body.limits === undefined ? key.limits : await patchLimits(context, key, body.limits),
      ...moveMonths(key, body.month_starts_on ?? key.monthStartsOn, context.now),
      revision,
    };
    requireOverageTier(key.tier, edited.overageAllowed);
    await requireFreeName(context.services.database, edited.name, key.id);
    return {
      ...planEdit(context, 'api_key.update', key, edited),
      result: new Reply(buildApiKey({ ...key, ...edited }), { headers: { ETag: buildRevisionTag(revision) } }),
    };
  });
});
