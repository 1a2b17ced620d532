import { isNull, sql } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { sortingsBy, storedList } from '@/lib/admin/stored-list';
import { toWebhooks } from '@/lib/admin/webhooks/row';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listWebhooks as contract } from '@/lib/contract/webhooks';
import { implement } from '@/lib/operation/operation';

/** Lists webhooks that were not removed. */
export const listWebhooks = implement(
  contract,
  storedList({
    order: '-created_at',
    defaultLimit: MAX_PAGE,
    query: (drizzle) => drizzle.select().from(webhooks),
    present: (rows, { services }) => toWebhooks(services, rows),
    sortings: sortingsBy(webhooks, 'created_at', 'name'),
    id: { sql: sql`${webhooks.id}`, of: (webhook) => webhook.id },
    where: () => isNull(webhooks.removedAt),
  }),
);
