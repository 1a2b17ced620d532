import { and, isNull, sql } from 'drizzle-orm';
import { apiKeys } from '@/drizzle/schema';
import { QUOTA_COLUMNS, readQuotaUsages } from '@/lib/admin/keys/usage';
import { createStoredList } from '@/lib/admin/stored-list';
import { listQuotas as contract } from '@/lib/contract/quota';
import { implement } from '@/lib/operation/operation';

/** SQLite's row number, which follows the order of registration. JSON omits symbols. */
const POSITION = Symbol('position');
const rowid = sql<number>`${apiKeys}.rowid`;

/** Lists the quota usage of all registered keys, in the order of their registration. */
export const listQuotas = implement(
  contract,
  createStoredList({
    query: (drizzle) => drizzle.select({ ...QUOTA_COLUMNS, position: rowid }).from(apiKeys),
    present: async (keys, { services, now }) => {
      const usages = await readQuotaUsages(services.counters, await services.rules.readFresh(), keys, now);
      return usages.map((usage, index) => ({ ...usage, [POSITION]: keys[index]?.position ?? 0 }));
    },
    id: { sql: rowid, of: (usage) => usage[POSITION] },
    order: '',
    defaultLimit: 'all',
    chunk: 100,
    where: () => and(isNull(apiKeys.revokedAt)),
  }),
);
