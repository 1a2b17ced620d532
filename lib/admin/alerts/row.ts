import { z } from 'zod';
import type { alerts } from '@/drizzle/alerts-schema';
import { findObject, splitObject } from '@/lib/admin/alerts/alert-object';
import { ALERT_EVENTS, type Alert } from '@/lib/contract/alerts';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { Millis } from '@/lib/units';

const AlertDataSchema = z
  .object({
    /** The problem, in a sentence. */
    summary: z.string(),
    /** Path of the page in the console that shows it. */
    link: z.string(),
  })
  .catchall(z.unknown());
/** Data that an alert stores and sends. */
export type AlertData = z.infer<typeof AlertDataSchema>;

export function parseAlertData(json: string): AlertData {
  return AlertDataSchema.parse(JSON.parse(json));
}

/** @param names display names of the objects */
export function buildAlert(row: typeof alerts.$inferSelect, names: ReadonlyMap<string, string>, now: Millis): Alert {
  const { summary, link, ...details } = parseAlertData(row.data);
  const id = findObject(row.subject);
  const { snoozedUntil } = row;
  return {
    id: row.id,
    event: z.enum(ALERT_EVENTS).parse(row.event),
    subject: row.subject,
    object: { id, type: splitObject(id).type, name: names.get(id) ?? id },
    ...{ summary, link, details },
    opened_at: formatTimestamp(row.openedAt),
    resolved_at: formatTimestampOrNull(row.resolvedAt),
    resolution: row.resolution,
    acknowledged_at: formatTimestampOrNull(row.acknowledgedAt),
    acknowledged_by: row.acknowledgedBy,
    snoozed_until: formatTimestampOrNull(snoozedUntil !== null && snoozedUntil > now ? snoozedUntil : null),
  };
}
