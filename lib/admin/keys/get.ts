import { eq } from 'drizzle-orm';
import { apiKeys, lastUses } from '@/drizzle/schema';
import { withUsage } from '@/lib/admin/keys/with-usage';
import { lastUseOf } from '@/lib/admin/last-use';
import { ApiKeyPath, ApiKeyWithUsageSchema } from '@/lib/contract/keys';
import { ApiError } from '@/lib/http/api-error';
import { revisionTag } from '@/lib/http/entity-tag';
import { operation, Reply } from '@/lib/operation/operation';

/** One key, revoked ones included. */
export const getApiKey = operation({
  id: 'getApiKey',
  method: 'GET',
  path: '/v1/admin/api-keys/{id}',
  tag: 'API keys',
  summary: 'Read an API key',
  description: 'A revoked key can still be read; `revoked_at` says when it ended.',
  access: 'viewer',
  params: ApiKeyPath,
  response: {
    status: 200,
    description: 'The key.',
    schema: ApiKeyWithUsageSchema,
    headers: { ETag: "Of the key's settings." },
  },
  errors: ['not_found'],
  run: async (context, { params }) => {
    const [row] = await context.services.database.drizzle
      .select({ key: apiKeys, lastUsedAt: lastUses.at })
      .from(apiKeys)
      .leftJoin(lastUses, lastUseOf('api_key', apiKeys.id))
      .where(eq(apiKeys.id, params.id));
    if (row === undefined) throw new ApiError('not_found', 'There is no such API key.');
    const [key] = await withUsage(context.services, [row], context.now);
    return new Reply(key, { headers: { ETag: revisionTag(row.key.revision) } });
  },
});
