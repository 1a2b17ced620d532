import { webhooks } from '@/drizzle/alerts-schema';
import { change } from '@/lib/admin/change';
import { buildRowColumns, createOrderedId } from '@/lib/admin/new-row';
import { requireOpenUrl } from '@/lib/admin/webhooks/open-url';
import { buildNewWebhook, buildWebhookRecord, hideUrlSecrets, requireFreeName } from '@/lib/admin/webhooks/row';
import { createWebhookSecret } from '@/lib/admin/webhooks/signature';
import { sealForWebhook } from '@/lib/auth/webhook-secrets';
import { createWebhook as contract } from '@/lib/contract/webhooks';
import { implement } from '@/lib/operation/operation';

/** Creates a webhook. Only this answer contains its secret in plain text. */
export const createWebhook = implement(contract, (context, { body }) => {
  const { services } = context;
  const { database, randomBytes, config } = services;
  const { name, url, format, events } = body;
  requireOpenUrl(url, format, config);
  return change(context, async (revision) => {
    await requireFreeName(database, name);
    const id = createOrderedId(context.now, revision, randomBytes);
    const secret = format === 'standard' ? createWebhookSecret(randomBytes) : null;
    const row = {
      ...{ id, name, format, enabled: true, events: JSON.stringify(events), shownUrl: hideUrlSecrets(url, format) },
      url: sealForWebhook(url, { id, column: 'url' }, services),
      secret: secret === null ? null : sealForWebhook(secret, { id, column: 'secret' }, services),
      ...{ previousSecret: null, previousSecretUntil: null, goneAt: null, removedAt: null },
      ...buildRowColumns(context, revision),
    };
    return {
      audit: { action: 'webhook.create', target: id, after: buildWebhookRecord(row) },
      statements: [database.drizzle.insert(webhooks).values(row)],
      result: { ...buildNewWebhook(row), secret },
    };
  });
});
