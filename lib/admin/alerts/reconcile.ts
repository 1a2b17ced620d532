import { and, eq, inArray, isNull } from 'drizzle-orm';
import { alerts } from '@/drizzle/alerts-schema';
import { type EventWriter, type NewAlert, opening, resolving } from '@/lib/admin/alerts/events';
import type { AlertEvent } from '@/lib/contract/alerts';
import type { Database, Statement } from '@/lib/db/database';
import { ConstraintViolation } from '@/lib/db/errors';
import type { Millis } from '@/lib/units';

/** An alert as it is stored. */
export type AlertRow = typeof alerts.$inferSelect;

/** Alerts of one event that one call opens, at most: what is more comes with the next. */
const MOST_OPENED = 50;

export function openAlerts({ drizzle }: Database, event: AlertEvent): Promise<AlertRow[]> {
  return drizzle
    .select()
    .from(alerts)
    .where(and(eq(alerts.event, event), isNull(alerts.resolvedAt)));
}

/** What an alert is told once for, as one text. */
const thingOf = ({ subject, period }: { subject: string; period: string | null }) => JSON.stringify([subject, period]);

interface Present {
  event: AlertEvent;
  /** All that holds now. */
  alerts: readonly NewAlert[];
  /** Why an open alert that does not hold any more is resolved, in a sentence; null where it stays open. */
  why: (row: AlertRow) => string | null;
}

/**
 * Opens an alert for what holds and was not told of yet, and resolves those that hold no more. Each is a transaction of
 * its own; what another instance has told of meanwhile is left alone.
 * @throws DatabaseUnavailable
 */
export async function reconcile(writer: EventWriter, { event, alerts: present, why }: Present): Promise<void> {
  const { database } = writer;
  const open = await openAlerts(database, event);
  const told = await toldOf(database, event, present);
  const known = new Set([...open, ...told].map(thingOf));
  const fresh = present.filter((alert) => !known.has(thingOf(alert)));
  for (const alert of fresh.slice(0, MOST_OPENED)) await writeOnce(database, opening(writer, alert));
  const holding = new Set(present.map(thingOf));
  for (const row of open) {
    if (holding.has(thingOf(row))) continue;
    const resolution = why(row);
    if (resolution !== null) await writeOnce(database, resolving(writer, row, resolution));
  }
}

/** What was told of in the periods of these, resolved or not. */
async function toldOf({ drizzle }: Database, event: AlertEvent, present: readonly NewAlert[]) {
  const periods = [...new Set(present.flatMap(({ period }) => period ?? []))];
  if (periods.length === 0) return [];
  const { subject, period } = alerts;
  const ofPeriods = and(eq(alerts.event, event), inArray(period, periods));
  return drizzle.select({ subject, period }).from(alerts).where(ofPeriods);
}

/** Writes all or nothing. @returns false when another instance was first */
export async function writeOnce(database: Database, statements: readonly Statement[]): Promise<boolean> {
  try {
    await database.batch(statements);
    return true;
  } catch (error) {
    if (error instanceof ConstraintViolation) return false;
    throw error;
  }
}

/** Says that an instance sees what an alert is about. */
export async function markSeen({ drizzle }: Database, id: string, now: Millis): Promise<void> {
  await drizzle.update(alerts).set({ seenAt: now }).where(eq(alerts.id, id));
}
