import { and, eq, sql } from 'drizzle-orm';
import { alertEvents, deliveries } from '@/drizzle/alerts-schema';
import { alertDataIn } from '@/lib/admin/alerts/row';
import { storedList } from '@/lib/admin/stored-list';
import { attemptsIn } from '@/lib/admin/webhooks/attempts';
import { textOf } from '@/lib/admin/webhooks/message';
import { presentWebhook } from '@/lib/admin/webhooks/row';
import { toInstant } from '@/lib/contract/fields/instant';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { listDeliveries as contract, type Delivery } from '@/lib/contract/webhooks';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { ListQuery } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';

interface StoredDelivery {
  delivery: typeof deliveries.$inferSelect;
  event: typeof alertEvents.$inferSelect;
}

const withEvents = (drizzle: Database['drizzle']) =>
  drizzle
    .select({ delivery: deliveries, event: alertEvents })
    .from(deliveries)
    .innerJoin(alertEvents, eq(alertEvents.id, deliveries.event));

export function toDelivery({ delivery: row, event: { id, type, data } }: StoredDelivery): Delivery {
  return {
    id: row.seq,
    event_id: id,
    type,
    subject: row.subject,
    summary: textOf({ type, data: alertDataIn(data) }),
    state: row.state,
    created_at: toInstant(row.createdAt),
    next_attempt_at: row.state === 'pending' ? toInstant(row.nextAt) : null,
    attempts: attemptsIn(row.log),
  };
}

/** Finds a delivery of a webhook. @throws ApiError not_found */
export async function presentDelivery({ drizzle }: Database, channel: string, seq: number): Promise<StoredDelivery> {
  const [found] = await withEvents(drizzle).where(and(eq(deliveries.channel, channel), eq(deliveries.seq, seq)));
  if (found === undefined) throw new ApiError('not_found', 'There is no such delivery.');
  return found;
}

interface Query extends ListQuery {
  channel: string;
  state: Delivery['state'] | 'all';
}

const page = storedList<Query, StoredDelivery, Delivery>({
  order: '-id',
  defaultLimit: MAX_PAGE,
  query: withEvents,
  present: (rows) => rows.map(toDelivery),
  id: { sql: sql`${deliveries.seq}`, of: ({ id }) => id },
  where: ({ channel, state }) =>
    and(eq(deliveries.channel, channel), state === 'all' ? undefined : eq(deliveries.state, state)),
});

/** Lists the deliveries of a webhook, with the answers of its receiver. */
export const listDeliveries = implement(contract, async (context, { params, query }) => {
  const { id: channel } = await presentWebhook(context.services.database, params.id);
  return page(context, { query: { ...query, channel } });
});
