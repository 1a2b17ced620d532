import { isNull, sql } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { buildSortings, createStoredList } from '@/lib/admin/stored-list';
import { buildWebhooks } from '@/lib/admin/webhooks/row';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listWebhooks as contract } from '@/lib/contract/webhooks';
import { buildNaturalKey } from '@/lib/natural-order';
import { implement } from '@/lib/operation/operation';

/** Lists webhooks that were not removed. */
export const listWebhooks = implement(
  contract,
  createStoredList({
    order: '-created_at',
    defaultLimit: MAX_PAGE,
    query: (drizzle) => drizzle.select().from(webhooks),
    present: (rows, { services }) => buildWebhooks(services, rows),
    sortings: {
      ...buildSortings(webhooks, 'created_at'),
      name: { of: (webhook) => buildNaturalKey(webhook.name) },
    },
    id: { sql: sql`${webhooks.id}`, of: (webhook) => webhook.id },
    where: () => isNull(webhooks.removedAt),
  }),
);
