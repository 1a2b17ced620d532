import { and, eq, inArray, isNull } from 'drizzle-orm';
import { alerts } from '@/drizzle/alerts-schema';
import { type EventWriter, type NewAlert, openAlert, resolveAlert } from '@/lib/admin/alerts/events';
import type { AlertEvent } from '@/lib/contract/alerts';
import type { Database, Statement } from '@/lib/db/database';
import { ConstraintViolation } from '@/lib/db/errors';
import type { Millis } from '@/lib/units';

/** A stored alert. */
export type AlertRow = typeof alerts.$inferSelect;

/** Most alerts of one event that one call opens. The next call opens the rest. */
const MOST_OPENED = 50;

export function openAlerts({ drizzle }: Database, event: AlertEvent): Promise<AlertRow[]> {
  return drizzle
    .select()
    .from(alerts)
    .where(and(eq(alerts.event, event), isNull(alerts.resolvedAt)));
}

/** Identifies an alert by its subject and its period, as one text. */
const identifyAlert = ({ subject, period }: { subject: string; period: string | null }) =>
  JSON.stringify([subject, period]);

interface Present {
  event: AlertEvent;
  /** Every alert whose condition holds now. */
  alerts: readonly NewAlert[];
  /** Explains in a sentence why an open alert is resolved when its condition ends. Null if it stays open. */
  why: (row: AlertRow) => string | null;
}

/**
 * Opens an alert for each new condition, and resolves alerts whose condition ended.
 * Each write is a separate transaction. Skips alerts that another instance has written concurrently.
 * @throws DatabaseUnavailable
 */
export async function reconcile(writer: EventWriter, { event, alerts: present, why }: Present): Promise<void> {
  const { database } = writer;
  const open = await openAlerts(database, event);
  const earlier = await findAlertsOfPeriods(database, event, present);
  const reported = new Set([...open, ...earlier].map(identifyAlert));
  const fresh = present.filter((alert) => !reported.has(identifyAlert(alert)));
  for (const alert of fresh.slice(0, MOST_OPENED)) await writeOnce(database, openAlert(writer, alert));
  const holding = new Set(present.map(identifyAlert));
  for (const row of open) {
    if (holding.has(identifyAlert(row))) continue;
    const resolution = why(row);
    if (resolution !== null) await writeOnce(database, resolveAlert(writer, row, resolution));
  }
}

/** Finds the alerts of the same periods, resolved or not. */
async function findAlertsOfPeriods({ drizzle }: Database, event: AlertEvent, present: readonly NewAlert[]) {
  const periods = [...new Set(present.flatMap(({ period }) => period ?? []))];
  if (periods.length === 0) return [];
  const { subject, period } = alerts;
  const ofPeriods = and(eq(alerts.event, event), inArray(period, periods));
  return drizzle.select({ subject, period }).from(alerts).where(ofPeriods);
}

/** Writes all statements or none. @returns false if another instance wrote first */
export async function writeOnce(database: Database, statements: readonly Statement[]): Promise<boolean> {
  try {
    await database.batch(statements);
    return true;
  } catch (error) {
    if (error instanceof ConstraintViolation) return false;
    throw error;
  }
}

/** Records that an instance still sees the condition of an alert. */
export async function recordSeen({ drizzle }: Database, id: string, now: Millis): Promise<void> {
  await drizzle.update(alerts).set({ seenAt: now }).where(eq(alerts.id, id));
}
