import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { webhooks } from '@/drizzle/alerts-schema';
import { keptSettings } from '@/drizzle/schema';
import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { haveSameMembers } from '@/lib/admin/change-kind/record';
import { type Reversal, refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { buildWebhookRecord, requireFreeName } from '@/lib/admin/webhooks/row';
import { type EditedColumns, editWebhook } from '@/lib/admin/webhooks/update';

const Edited = z.object({
  name: z.string(),
  url: z.string(),
  shownUrl: z.string(),
  events: z.string(),
  enabled: z.boolean(),
  // Edits by earlier versions lack it.
  goneAt: z.int().nullable().default(null),
});

/** Undoes an edit or a removal. The URL and the secret are kept, encrypted. */
const REVERSAL: Reversal = {
  role: 'owner',
  async plan({ services, now }, { seq, target, before, after }, revision) {
    const { database } = services;
    const { drizzle } = database;
    const [row] = await drizzle.select().from(webhooks).where(eq(webhooks.id, target));
    if (row === undefined) return refuse('The webhook no longer exists.');
    refuseUnless((row.removedAt === null) === (after !== null));
    if (after === null || before === null) {
      if (before !== null) await requireFreeName(database, row.name, row.id);
      const edited = drizzle.update(webhooks).set({ removedAt: before === null ? now : null, revision });
      return {
        statements: [edited.where(eq(webhooks.id, row.id))],
        restored: `The webhook ${row.name} ${before === null ? 'is removed' : 'is there'} again.`,
      };
    }
    refuseUnless(haveSameMembers(buildWebhookRecord(row), after, ['name', 'url', 'events', 'enabled']));
    const [setting] = await drizzle.select().from(keptSettings).where(eq(keptSettings.revision, seq));
    if (setting === undefined) return refuse('Its earlier state is no longer stored.');
    const edited: EditedColumns = Edited.parse(JSON.parse(setting.value));
    await requireFreeName(database, edited.name, row.id);
    return {
      statements: editWebhook(database, row, edited, revision),
      restored: `The webhook ${edited.name} was restored.`,
    };
  },
};

const SENT = 'A sent message cannot be recalled.';

export const WEBHOOK_CHANGES: ChangeKinds<'webhook'> = {
  'webhook.create': { thing: 'webhook', reversal: 'Remove the webhook instead: its secret has been shown already.' },
  'webhook.update': { thing: 'webhook', reversal: REVERSAL },
  'webhook.rotate': { reversal: 'The new secret has been shown already. Rotate again.' },
  'webhook.remove': { thing: 'webhook', reversal: REVERSAL },
  'webhook.test': { reversal: SENT },
  'webhook.replay': { reversal: SENT },
};
