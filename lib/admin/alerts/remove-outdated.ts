import { and, inArray, lt, ne, notExists, sql } from 'drizzle-orm';
import { alertEvents, alerts, deliveries } from '@/drizzle/alerts-schema';
import type { Database } from '@/lib/db/database';
import { DAY, type Millis } from '@/lib/units';

const DELIVERIES_KEPT_FOR = 30 * DAY;
/** Longer than any period in which an alert opens only once. */
const ALERTS_KEPT_FOR = 90 * DAY;
const ROWS_AT_ONCE = 500;

/** Deletes old finished deliveries, old resolved alerts, and events that neither an alert nor a delivery needs. */
export async function removeOutdatedAlerts({ drizzle }: Database, now: Millis): Promise<void> {
  const oldDeliveries = drizzle
    .select({ seq: deliveries.seq })
    .from(deliveries)
    .where(and(lt(deliveries.createdAt, now - DELIVERIES_KEPT_FOR), ne(deliveries.state, 'pending')))
    .limit(ROWS_AT_ONCE);
  await drizzle.delete(deliveries).where(inArray(deliveries.seq, oldDeliveries));
  const oldAlerts = drizzle
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(lt(alerts.openedAt, now - ALERTS_KEPT_FOR), sql`resolved_at is not null`))
    .limit(ROWS_AT_ONCE);
  await drizzle.delete(alerts).where(inArray(alerts.id, oldAlerts));
  const sent = drizzle.select().from(deliveries).where(sql`${deliveries.event} = ${alertEvents.id}`);
  const reported = drizzle.select().from(alerts).where(sql`${alerts.id} = ${alertEvents.alert}`);
  await drizzle
    .delete(alertEvents)
    .where(and(lt(alertEvents.at, now - DELIVERIES_KEPT_FOR), notExists(sent), notExists(reported)));
}
