import { and, eq, isNull } from 'drizzle-orm';
import { alerts } from '@/drizzle/alerts-schema';
import { findObject, nameObjects } from '@/lib/admin/alerts/alert-object';
import type { AlertRow } from '@/lib/admin/alerts/reconcile';
import { change } from '@/lib/admin/change';
import { requireValidExpiry } from '@/lib/admin/expiry';
import { acknowledgeAlerts as contractOfAcknowledge, reopenAlerts as contractOfReopen } from '@/lib/contract/alerts';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';
import type { Millis } from '@/lib/units';

/** Member who acknowledged an alert, with the time, and the end of a snooze. */
type Handling = Pick<AlertRow, 'acknowledgedAt' | 'acknowledgedBy' | 'snoozedUntil'>;

const OPEN: Handling = { acknowledgedAt: null, acknowledgedBy: null, snoozedUntil: null };

/** Acknowledges all open alerts of an object, or hides them until a time. Later alerts of it are open again. */
export const acknowledgeAlerts = implement(contractOfAcknowledge, async (context, { body: { object, until } }) => {
  const { now, actor } = context;
  const snoozedUntil = requireValidExpiry(until, now, 'until');
  const handling =
    snoozedUntil === null
      ? { acknowledgedAt: now, acknowledgedBy: actor.name, snoozedUntil }
      : { ...OPEN, snoozedUntil };
  const { count, name } = await handle(context, object, handling, snoozedUntil === null ? 'acknowledge' : 'snooze');
  return {
    ...{ object, name, alerts: count },
    ...{
      acknowledged_at: formatTimestampOrNull(handling.acknowledgedAt),
      snoozed_until: formatTimestampOrNull(snoozedUntil),
    },
  };
});

/** Makes acknowledged or snoozed alerts of an object open again. */
export const reopenAlerts = implement(contractOfReopen, async (context, { body: { object } }) => {
  await handle(context, object, OPEN, 'reopen');
  return undefined;
});

function handle(context: Context, object: string, handling: Handling, action: 'acknowledge' | 'snooze' | 'reopen') {
  const { database } = context.services;
  return change(context, async () => {
    const open = await database.drizzle.select().from(alerts).where(isNull(alerts.resolvedAt));
    const rows = open.filter(({ subject }) => findObject(subject) === object);
    if (rows.length === 0) throw new ApiError('not_found', 'No open alert is about this object.');
    const name = (await nameObjects(database, [object])).get(object) ?? object;
    const record = (of: (row: AlertRow) => Handling) => ({
      name,
      snoozed_until: formatTimestampOrNull(handling.snoozedUntil),
      alerts: rows.map((row) => ({ id: row.id, ...buildHandlingRecord(of(row)) })),
    });
    return {
      audit: {
        action: `alert.${action}` as const,
        target: object,
        before: record((row) => row),
        after: record(() => handling),
      },
      statements: rows.map(({ id }) =>
        database.drizzle
          .update(alerts)
          .set(handling)
          .where(and(eq(alerts.id, id), isNull(alerts.resolvedAt))),
      ),
      result: { count: rows.length, name },
    };
  });
}

function buildHandlingRecord({ acknowledgedAt, acknowledgedBy, snoozedUntil }: Handling) {
  return {
    acknowledged_at: formatTimestampOrNull(acknowledgedAt),
    acknowledged_by: acknowledgedBy,
    snoozed_until: formatTimestampOrNull(snoozedUntil),
  };
}

/** Reads when an alert was handled from an audit record. */
export function parseHandling(record: {
  acknowledged_at: string | null;
  acknowledged_by: string | null;
  snoozed_until: string | null;
}): Handling {
  const parseTimeOrNull = (text: string | null): Millis | null => (text === null ? null : Date.parse(text));
  return {
    acknowledgedAt: parseTimeOrNull(record.acknowledged_at),
    acknowledgedBy: record.acknowledged_by,
    snoozedUntil: parseTimeOrNull(record.snoozed_until),
  };
}
