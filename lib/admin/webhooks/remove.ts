import { eq } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { change } from '@/lib/admin/change';
import { buildWebhookRecord, requirePresentWebhook } from '@/lib/admin/webhooks/row';
import { removeWebhook as contract } from '@/lib/contract/webhooks';
import { implement } from '@/lib/operation/operation';

/** Removes a webhook. Pending deliveries are not sent. */
export const removeWebhook = implement(contract, (context, { params }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const row = await requirePresentWebhook(database, params.id);
    const removed = { removedAt: context.now, revision };
    return {
      audit: { action: 'webhook.remove', target: row.id, before: buildWebhookRecord(row) },
      statements: [database.drizzle.update(webhooks).set(removed).where(eq(webhooks.id, row.id))],
    };
  });
});
