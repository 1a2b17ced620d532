import { and, eq, gt, isNull, lte, sql } from 'drizzle-orm';
import { apiKeys, grants } from '@/drizzle/schema';
import { buildPublicGrant } from '@/lib/admin/grants/row';
import { buildManagedMark } from '@/lib/admin/new-row';
import { buildSortings, createStoredList, matchText } from '@/lib/admin/stored-list';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listGrants as contract } from '@/lib/contract/grants';
import { implement } from '@/lib/operation/operation';

/** Lists grants with the names of their keys. */
export const listGrants = implement(
  contract,
  createStoredList({
    query: (drizzle) =>
      drizzle
        .select({ grant: grants, name: apiKeys.name })
        .from(grants)
        .innerJoin(apiKeys, eq(apiKeys.id, grants.apiKeyId)),
    present: (rows, { now }) =>
      rows.map(({ grant, name }) => ({ ...buildPublicGrant(grant, name, now), ...buildManagedMark(grant) })),
    sortings: buildSortings(grants, 'created_at', 'until', 'requests'),
    id: { sql: sql`${grants.id}`, of: (grant) => grant.id },
    order: '-created_at',
    defaultLimit: MAX_PAGE,
    where: ({ api_key: key, status, q }, now) =>
      and(
        isNull(grants.removedAt),
        key === undefined ? undefined : eq(grants.apiKeyId, key),
        status === 'active' ? gt(grants.until, now) : status === 'ended' ? lte(grants.until, now) : undefined,
        matchText(q, grants.reason, apiKeys.name),
      ),
  }),
);
