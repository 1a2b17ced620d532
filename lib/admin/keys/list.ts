import { and, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { apiKeys, lastUses } from '@/drizzle/schema';
import { withUsage } from '@/lib/admin/keys/usage';
import { contains, inStatus, lastUseOf, oneOf } from '@/lib/admin/stored-list';
import { listApiKeys as contract, keyState, usedShare } from '@/lib/contract/keys';
import { columnsOf, list, timeOf } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

const TIERS = 'free starter business enterprise';

/** API keys with what they have used. Usage lives in the counters: its orders and states are found out here. */
export const listApiKeys = implement(
  contract,
  list({
    read: async ({ services, now }, { where, orderBy, limit }) => {
      const rows = services.database.drizzle
        .select({ key: apiKeys, lastUsedAt: lastUses.at })
        .from(apiKeys)
        .leftJoin(lastUses, lastUseOf('api_key', apiKeys.id))
        .where(where);
      return withUsage(services, await rows.orderBy(...orderBy).limit(limit), now);
    },
    download: {
      name: 'api-keys',
      columns: columnsOf(
        'id',
        'name',
        'prefix',
        'tier',
        'client_type',
        'user_id',
        'usage',
        'limit',
        'remaining',
        'reset_at',
        'overage_allowed',
        'expires_at',
        'last_used_at',
        'created_at',
        'created_by',
        'revoked_at',
      ),
    },
    sortings: {
      created_at: { sql: sql`${apiKeys.createdAt}`, of: (key) => timeOf(key.created_at) },
      name: { sql: sql`${apiKeys.name}`, of: (key) => key.name },
      prefix: { sql: sql`${apiKeys.prefix}`, of: (key) => key.prefix },
      tier: { sql: sql`instr(${TIERS}, ${apiKeys.tier})`, of: (key) => TIERS.indexOf(key.tier) + 1 },
      last_used_at: { sql: sql`coalesce(${lastUses.at}, 0)`, of: (key) => timeOf(key.last_used_at) },
      usage: { of: (key) => usedShare(key) ?? -1 },
      remaining: { of: (key) => key.remaining ?? -1 },
    },
    id: { sql: sql`${apiKeys.id}`, of: (key) => key.id },
    order: '-created_at',
    chunk: 100,
    where: ({ q, tier, status }, now) =>
      and(
        status === 'all' ? undefined : status === 'revoked' ? isNotNull(apiKeys.revokedAt) : isNull(apiKeys.revokedAt),
        inStatus(apiKeys.expiresAt, status, now),
        oneOf(apiKeys.tier, tier),
        q === undefined
          ? undefined
          : or(
              contains(q, apiKeys.name, apiKeys.userId),
              sql`instr(${apiKeys.prefix}, ${q}) = 1`,
              sql`instr(${apiKeys.id}, lower(${q})) = 1`,
            ),
      ),
    keep: ({ state }, now) => state && ((key) => state.some((wanted) => wanted === keyState(key, now))),
  }),
);
