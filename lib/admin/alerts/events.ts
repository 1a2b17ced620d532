import { eq, sql } from 'drizzle-orm';
import { alertEvents, alerts } from '@/drizzle/alerts-schema';
import { type AlertData, parseAlertData } from '@/lib/admin/alerts/row';
import { createOrderedId } from '@/lib/admin/new-row';
import type { AlertEvent } from '@/lib/contract/alerts';
import type { Database, Statement } from '@/lib/db/database';
import type { Millis } from '@/lib/units';

/** An alert to open. */
export interface NewAlert {
  event: AlertEvent;
  subject: string;
  /** The period in which the alert opens only once. Null if it opens again whenever the condition returns. */
  period: string | null;
  data: AlertData;
}

/** Options for an event writer. */
export interface EventWriter {
  database: Database;
  randomBytes: (size: number) => Uint8Array;
  now: Millis;
}

/**
 * Builds the statements that open an alert: its row, its event, and a delivery for each subscribed webhook.
 * They run in one transaction, and violate a unique index if another instance has opened the alert already.
 * @param at when the condition began, by default now
 */
export function openAlert(writer: EventWriter, alert: NewAlert, at: Millis = writer.now): Statement[] {
  const { database, randomBytes, now } = writer;
  const id = createOrderedId(now, 0, randomBytes);
  const { event, subject, period, data } = alert;
  const row = { id, event, subject, period, data: JSON.stringify(data), openedAt: at, seenAt: now };
  return [
    database.drizzle.insert(alerts).values(row),
    ...recordAlertEvent(writer, { alert: id, event, type: event, subject, at, data }),
  ];
}

/** Builds the statements that resolve an alert. @param resolution the reason, in a sentence */
export function resolveAlert(
  writer: EventWriter,
  row: Pick<typeof alerts.$inferSelect, 'id' | 'event' | 'subject' | 'data'>,
  resolution: string,
): Statement[] {
  const { database, now } = writer;
  const { id, event, subject } = row;
  const resolved = database.drizzle.update(alerts).set({ resolvedAt: now, resolution });
  const data = { ...parseAlertData(row.data), resolution };
  return [
    // A second instance violates the unique index on alert and type here.
    ...recordAlertEvent(writer, { alert: id, event, type: `${event}.resolved`, subject, at: now, data }),
    resolved.where(eq(alerts.id, id)),
  ];
}

interface Happening {
  alert: string;
  event: string;
  type: string;
  subject: string;
  at: Millis;
  data: AlertData;
}

/** Builds an event, and its delivery to each webhook that exists when it is written. */
function recordAlertEvent({ database, randomBytes, now }: EventWriter, happened: Happening): Statement[] {
  const { alert, event, type, subject, at, data } = happened;
  const id = createOrderedId(now, 0, randomBytes);
  return [
    database.drizzle.insert(alertEvents).values({ id, alert, type, at, data: JSON.stringify({ alert, ...data }) }),
    database.drizzle.run(sql`
      insert into deliveries (channel, event, subject, state, created_at, attempts, next_at, lease_until, log)
      select id, ${id}, ${subject}, 'pending', ${now}, 0, ${now}, 0, '[]' from webhooks
      where removed_at is null and enabled
        and (events = '[]' or exists (
          select 1 from json_each(iif(json_valid(events), events, '[]')) where value = ${event}))
      order by created_at, id`),
  ];
}
