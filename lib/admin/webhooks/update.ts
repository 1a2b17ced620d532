import { eq } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { keptSettings } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { requireOpenUrl } from '@/lib/admin/webhooks/open-url';
import {
  buildWebhookRecord,
  buildWebhooks,
  hideUrlSecrets,
  requireFreeName,
  requirePresentWebhook,
  type WebhookRow,
} from '@/lib/admin/webhooks/row';
import { sealForWebhook } from '@/lib/auth/webhook-secrets';
import { updateWebhook as contract } from '@/lib/contract/webhooks';
import type { Database, Statement } from '@/lib/db/database';
import { implement } from '@/lib/operation/operation';

export type EditedColumns = Pick<WebhookRow, 'name' | 'url' | 'shownUrl' | 'events' | 'enabled' | 'goneAt'>;

/** Builds the statements that edit a webhook, and keep the previous values for an undo. */
export function editWebhook(
  { drizzle }: Database,
  row: WebhookRow,
  edited: EditedColumns,
  revision: number,
): Statement[] {
  const { name, url, shownUrl, events, enabled, goneAt } = row;
  const before: EditedColumns = { name, url, shownUrl, events, enabled, goneAt };
  return [
    drizzle.insert(keptSettings).values({ revision, value: JSON.stringify(before) }),
    drizzle
      .update(webhooks)
      .set({ ...edited, revision })
      .where(eq(webhooks.id, row.id)),
  ];
}

/** Edits the name, the URL, the events or the state of a webhook. */
export const updateWebhook = implement(contract, async (context, { params, body }) => {
  const { services } = context;
  const { database, config } = services;
  const changed = await change(context, async (revision) => {
    const row = await requirePresentWebhook(database, params.id);
    const { id, format } = row;
    if (body.url !== undefined) requireOpenUrl(body.url, format, config);
    const edited: EditedColumns = {
      name: body.name ?? row.name,
      url: body.url === undefined ? row.url : sealForWebhook(body.url, { id, column: 'url' }, services),
      shownUrl: body.url === undefined ? row.shownUrl : hideUrlSecrets(body.url, format),
      events: body.events === undefined ? row.events : JSON.stringify(body.events),
      enabled: body.enabled ?? row.enabled,
      goneAt: body.enabled === undefined ? row.goneAt : null,
    };
    await requireFreeName(database, edited.name, id);
    const after = { ...row, ...edited };
    const [shown] = await buildWebhooks(services, [after]);
    return {
      audit: {
        action: 'webhook.update',
        target: id,
        before: buildWebhookRecord(row),
        after: buildWebhookRecord(after),
      },
      statements: editWebhook(database, row, edited, revision),
      result: shown,
    };
  });
  if (changed === undefined) throw new Error('A webhook has no row.');
  return changed;
});
