import { and, eq, isNull } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { changeFromOutside, Overtaken } from '@/lib/admin/change';
import { buildWebhookRecord, type WebhookRow } from '@/lib/admin/webhooks/row';
import { editWebhook } from '@/lib/admin/webhooks/update';
import { SYSTEM } from '@/lib/auth/actor';
import type { Services } from '@/lib/operation/services';

const GONE = 410;

/**
 * Disables a webhook whose receiver answered 410 Gone, as Standard Webhooks requires.
 * Does nothing for another answer, or if the webhook was removed, disabled or given another URL since.
 * @param sent the webhook at the time of sending
 * @throws DatabaseUnavailable
 */
export async function disableGoneWebhook(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  sent: Pick<WebhookRow, 'id' | 'url' | 'format'>,
  status: number | null,
): Promise<void> {
  if (status !== GONE || sent.format === 'email') return;
  const { drizzle } = database;
  const same = and(eq(webhooks.id, sent.id), eq(webhooks.url, sent.url));
  const author = { actor: SYSTEM, reason: 'Its receiver answered 410 Gone.', clock };
  try {
    await changeFromOutside(database, author, async (revision) => {
      const [row] = await drizzle
        .select()
        .from(webhooks)
        .where(and(same, eq(webhooks.enabled, true), isNull(webhooks.removedAt)));
      if (row === undefined) throw new Overtaken();
      const after = { ...row, enabled: false, goneAt: clock() };
      return {
        audit: {
          action: 'webhook.update',
          target: row.id,
          before: buildWebhookRecord(row),
          after: buildWebhookRecord(after),
        },
        statements: editWebhook(database, row, after, revision),
      };
    });
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
  }
}
