import { eq, inArray } from 'drizzle-orm';
import { z } from 'zod';
import { alerts } from '@/drizzle/alerts-schema';
import { parseHandling } from '@/lib/admin/alerts/acknowledge';
import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { buildDocumentReversal } from '@/lib/admin/change-kind/document-reversal';
import { refuseUnless } from '@/lib/admin/change-kind/reversal';
import { ALERTS_SETTING } from '@/lib/admin/setting';

export const ALERT_SETTING_CHANGES: ChangeKinds<'alerts'> = {
  'alerts.update': { thing: 'settings', reversal: buildDocumentReversal(ALERTS_SETTING, 'The alerts were restored.') },
};

const Handled = z.object({
  name: z.string(),
  alerts: z.array(
    z.object({
      id: z.string(),
      acknowledged_at: z.string().nullable(),
      acknowledged_by: z.string().nullable(),
      snoozed_until: z.string().nullable(),
    }),
  ),
});

const HANDLING: ChangeKind = {
  thing: ({ target }) => target,
  reversal: {
    role: 'operator',
    async plan({ services: { database } }, { before, after }) {
      const { name, alerts: earlier } = Handled.parse(before);
      const left = new Map(Handled.parse(after).alerts.map((alert) => [alert.id, parseHandling(alert)]));
      const ids = earlier.map(({ id }) => id);
      const rows = await database.drizzle.select().from(alerts).where(inArray(alerts.id, ids));
      refuseUnless(
        rows.every((row) => {
          const handling = left.get(row.id);
          return (
            handling !== undefined &&
            row.acknowledgedAt === handling.acknowledgedAt &&
            row.snoozedUntil === handling.snoozedUntil
          );
        }),
      );
      return {
        statements: earlier.map((alert) =>
          database.drizzle.update(alerts).set(parseHandling(alert)).where(eq(alerts.id, alert.id)),
        ),
        restored: `The earlier state of the alerts of ${name} is restored.`,
      };
    },
  },
};

export const ALERT_CHANGES: ChangeKinds<'alert'> = {
  'alert.acknowledge': HANDLING,
  'alert.snooze': HANDLING,
  'alert.reopen': HANDLING,
};
