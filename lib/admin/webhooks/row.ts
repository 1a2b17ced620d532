import { and, desc, eq, inArray, isNull, ne, sql } from 'drizzle-orm';
import { z } from 'zod';
import { deliveries, webhooks } from '@/drizzle/alerts-schema';
import { parseAttempts } from '@/lib/admin/webhooks/attempts';
import { listUnreadableParts } from '@/lib/auth/webhook-secrets';
import { ALERT_EVENTS, type AlertEvent } from '@/lib/contract/alerts';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { Webhook, WebhookFormat } from '@/lib/contract/webhooks';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Services } from '@/lib/operation/services';

export type WebhookRow = typeof webhooks.$inferSelect;

/** Hides the parts of a URL that can be a credential: the path of a chat's webhook, and any query. */
export function hideUrlSecrets(url: string, format: WebhookFormat): string {
  if (format === 'email') return url;
  const { origin, pathname, search } = new URL(url);
  if (format !== 'standard') return `${origin}/…`;
  return origin + pathname + (search === '' ? '' : '?…');
}

export function parseAlertEvents(json: string): AlertEvent[] {
  return z.array(z.enum(ALERT_EVENTS)).parse(JSON.parse(json));
}

/** Finds a webhook that was not removed. @throws ApiError not_found */
export async function requirePresentWebhook({ drizzle }: Database, id: string): Promise<WebhookRow> {
  const [row] = await drizzle
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, id), isNull(webhooks.removedAt)));
  if (row === undefined) throw new ApiError('not_found', 'There is no such webhook.');
  return row;
}

/** Refuses a name that another webhook has. @param exceptId id of the webhook that may have it @throws ApiError conflict */
export async function requireFreeName({ drizzle }: Database, name: string, exceptId = ''): Promise<void> {
  const namesake = and(eq(webhooks.name, name), isNull(webhooks.removedAt), ne(webhooks.id, exceptId));
  if ((await drizzle.$count(webhooks, namesake)) > 0) throw new ApiError('conflict', 'Another webhook has this name.');
}

/** Converts a webhook to the form that the audit log stores, without secrets and hidden parts of the URL. */
export function buildWebhookRecord(
  row: WebhookRow,
): Omit<Webhook, 'unreadable' | 'pending' | 'failed' | 'last_attempt'> {
  const { id, name, shownUrl: url, format, enabled, goneAt, createdAt, createdBy } = row;
  const disabled_reason = enabled || goneAt === null ? null : 'gone';
  const origin = { created_at: formatTimestamp(createdAt), created_by: createdBy };
  return { id, name, url, format, events: parseAlertEvents(row.events), enabled, disabled_reason, ...origin };
}

const NOTHING_SENT = { unreadable: [], pending: 0, failed: 0, last_attempt: null };

/** Converts a new webhook, which has no deliveries yet, to its public form. */
export function buildNewWebhook(row: WebhookRow): Webhook {
  return { ...buildWebhookRecord(row), ...NOTHING_SENT };
}

/** Converts webhooks to their public form, with the state of their deliveries. */
export async function buildWebhooks(
  { database: { drizzle }, authSecret }: Pick<Services, 'database' | 'authSecret'>,
  rows: readonly WebhookRow[],
): Promise<Webhook[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const counts = await drizzle
    .select({ channel: deliveries.channel, state: deliveries.state, count: sql<number>`count(*)` })
    .from(deliveries)
    .where(and(inArray(deliveries.channel, ids), ne(deliveries.state, 'delivered')))
    .groupBy(deliveries.channel, deliveries.state);
  const countDeliveries = (id: string, state: string) =>
    counts.find((row) => row.channel === id && row.state === state)?.count ?? 0;
  return Promise.all(
    rows.map(async (row) => {
      const newest = await drizzle
        .select({ log: deliveries.log })
        .from(deliveries)
        .where(and(eq(deliveries.channel, row.id), ne(deliveries.log, '[]')))
        .orderBy(desc(deliveries.seq))
        .limit(1);
      const last = newest.flatMap(({ log }) => parseAttempts(log)).at(-1) ?? null;
      const fare = {
        pending: countDeliveries(row.id, 'pending'),
        failed: countDeliveries(row.id, 'failed'),
        last_attempt: last,
      };
      return { ...buildWebhookRecord(row), unreadable: listUnreadableParts(row, authSecret), ...fare };
    }),
  );
}
