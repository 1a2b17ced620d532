import { and, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { withUsage } from '@/lib/admin/keys/usage';
import { contains, inStatus, lastUsed, lastUseSorting, oneOf, sortingsBy, storedList } from '@/lib/admin/stored-list';
import { listApiKeys as contract, keyState, usedShare } from '@/lib/contract/keys';
import { columnsOf } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

const TIERS = 'free starter business enterprise';

/** API keys with what they have used. Usage lives in the counters: its orders and states are found out here. */
export const listApiKeys = implement(
  contract,
  storedList({
    query: (drizzle) => drizzle.select({ key: apiKeys, lastUsedAt: lastUsed('api_key', apiKeys.id) }).from(apiKeys),
    present: (rows, { services, now }) => withUsage(services, rows, now),
    download: {
      name: 'api-keys',
      columns: [
        ...columnsOf('id', 'name', 'prefix', 'tier', 'client_type', 'user_id'),
        ...columnsOf('usage', 'limit', 'remaining', 'reset_at', 'overage_allowed'),
        ...columnsOf('expires_at', 'last_used_at', 'created_at', 'created_by', 'revoked_at'),
      ],
    },
    sortings: {
      ...sortingsBy(apiKeys, 'created_at', 'name', 'prefix'),
      ...lastUseSorting('last_used_at', 'api_key', apiKeys.id),
      tier: { sql: sql`instr(${TIERS}, ${apiKeys.tier})`, of: (key) => TIERS.indexOf(key.tier) + 1 },
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
