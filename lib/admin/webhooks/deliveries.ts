import { and, eq, sql } from 'drizzle-orm';
import { alertEvents, deliveries, webhooks } from '@/drizzle/alerts-schema';
import { parseAlertData } from '@/lib/admin/alerts/row';
import { createStoredList } from '@/lib/admin/stored-list';
import { parseAttempts } from '@/lib/admin/webhooks/attempts';
import { buildMessageBody, formatEventLine, MESSAGE_HEADERS } from '@/lib/admin/webhooks/message';
import { requirePresentWebhook } from '@/lib/admin/webhooks/row';
import type { Config } from '@/lib/config/config';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { listDeliveries as contract, type Delivery } from '@/lib/contract/webhooks';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { ListQuery } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';
import type { Millis } from '@/lib/units';

interface StoredDelivery {
  delivery: typeof deliveries.$inferSelect;
  event: typeof alertEvents.$inferSelect;
  webhook: Pick<typeof webhooks.$inferSelect, 'format' | 'shownUrl'>;
}

const selectWithEvents = (drizzle: Database['drizzle']) =>
  drizzle
    .select({
      delivery: deliveries,
      event: alertEvents,
      webhook: { format: webhooks.format, shownUrl: webhooks.shownUrl },
    })
    .from(deliveries)
    .innerJoin(alertEvents, eq(alertEvents.id, deliveries.event))
    .innerJoin(webhooks, eq(webhooks.id, deliveries.channel));

/**
 * Builds the request of a delivery again: its body is the same in each attempt.
 * @param at time of the newest attempt, or of the event before the first one
 */
function buildDeliveryRequest(
  { event, webhook: { format, shownUrl } }: StoredDelivery,
  at: Millis,
  { SLUICE_PUBLIC_URL: origin }: Pick<Config, 'SLUICE_PUBLIC_URL'>,
): Delivery['request'] {
  if (format === 'email') return null;
  const { id, type, data } = event;
  const signed = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': '[signature]',
  };
  return {
    method: 'POST',
    url: shownUrl,
    headers: { ...MESSAGE_HEADERS, ...(format === 'standard' ? signed : {}) },
    body: buildMessageBody({ type, at: event.at, data: parseAlertData(data) }, format, origin),
  };
}

export function buildDelivery(stored: StoredDelivery, config: Pick<Config, 'SLUICE_PUBLIC_URL'>): Delivery {
  const {
    delivery: row,
    event: { id, type, data, at },
  } = stored;
  const attempts = parseAttempts(row.log);
  const last = attempts.at(-1)?.at;
  return {
    id: row.seq,
    event_id: id,
    type,
    subject: row.subject,
    summary: formatEventLine({ type, data: parseAlertData(data) }),
    state: row.state,
    created_at: formatTimestamp(row.createdAt),
    next_attempt_at: row.state === 'pending' ? formatTimestamp(row.nextAt) : null,
    request: buildDeliveryRequest(stored, last === undefined ? at : Date.parse(last), config),
    attempts,
  };
}

/** Finds a delivery of a webhook. @throws ApiError not_found */
export async function requireDelivery({ drizzle }: Database, channel: string, seq: number): Promise<StoredDelivery> {
  const [found] = await selectWithEvents(drizzle).where(and(eq(deliveries.channel, channel), eq(deliveries.seq, seq)));
  if (found === undefined) throw new ApiError('not_found', 'There is no such delivery.');
  return found;
}

interface Query extends ListQuery {
  channel: string;
  state: Delivery['state'] | 'all';
}

const page = createStoredList<Query, StoredDelivery, Delivery>({
  order: '-id',
  defaultLimit: MAX_PAGE,
  query: selectWithEvents,
  present: (rows, { services }) => rows.map((row) => buildDelivery(row, services.config)),
  id: { sql: sql`${deliveries.seq}`, of: ({ id }) => id },
  where: ({ channel, state }) =>
    and(eq(deliveries.channel, channel), state === 'all' ? undefined : eq(deliveries.state, state)),
});

/** Lists the deliveries of a webhook, with the answers of its receiver. */
export const listDeliveries = implement(contract, async (context, { params, query }) => {
  const { id: channel } = await requirePresentWebhook(context.services.database, params.id);
  return page(context, { query: { ...query, channel } });
});
