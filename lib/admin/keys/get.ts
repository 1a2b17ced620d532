import { eq } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { addUsage } from '@/lib/admin/keys/usage';
import { selectLastUse } from '@/lib/admin/stored-list';
import { getApiKey as contract } from '@/lib/contract/keys';
import { ApiError } from '@/lib/http/api-error';
import { buildRevisionTag } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns one key, even if it is revoked. */
export const getApiKey = implement(contract, async (context, { params }) => {
  const [row] = await context.services.database.drizzle
    .select({ key: apiKeys, lastUsedAt: selectLastUse('api_key', apiKeys.id) })
    .from(apiKeys)
    .where(eq(apiKeys.id, params.id));
  if (row === undefined) throw new ApiError('not_found', 'There is no such API key.');
  const [key] = await addUsage(context.services, [row], context.now);
  if (key === undefined) throw new Error('A key was left out.');
  return new Reply(key, { headers: { ETag: buildRevisionTag(row.key.revision) } });
});
