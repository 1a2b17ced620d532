import { and, eq, inArray, notInArray, sql } from 'drizzle-orm';
import { alertEvents, deliveries } from '@/drizzle/alerts-schema';
import { parseAlertData } from '@/lib/admin/alerts/row';
import type { AttemptOutcome } from '@/lib/admin/webhooks/attempt';
import { addAttempt } from '@/lib/admin/webhooks/attempts';
import type { SentEvent } from '@/lib/admin/webhooks/message';
import { pauseAfter } from '@/lib/admin/webhooks/retries';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import type { Database } from '@/lib/db/database';
import { countOmittedRows } from '@/lib/db/readable-rows';
import type { Millis } from '@/lib/units';

type DeliveryRow = typeof deliveries.$inferSelect;

/** A delivery that only this process may send until its lease expires. */
export interface Claimed {
  row: DeliveryRow;
  lease: string;
  event: SentEvent & { id: string };
}

/**
 * Duration of a claim, well above the longest attempt.
 * Another process then resends the deliveries of a killed process.
 */
const LEASE: Millis = 60_000;

/** Lists the channels with due deliveries. */
export async function listDueChannels({ drizzle }: Database, now: Millis): Promise<string[]> {
  const due = sql`state = 'pending' and ${deliveries.nextAt} <= ${now} and ${deliveries.leaseUntil} <= ${now}`;
  const rows = await drizzle.selectDistinct({ channel: deliveries.channel }).from(deliveries).where(due);
  return rows.map(({ channel }) => channel);
}

/**
 * Claims due deliveries of a channel in one statement, so that no two processes send the same one.
 * Claims only the oldest unfinished delivery of each subject. The later ones wait, even for hours.
 * @param lease identifies this claim
 */
export async function claimDue(
  { drizzle }: Database,
  { channel, now, most, lease }: { channel: string; now: Millis; most: number; lease: string },
): Promise<Claimed[]> {
  const due = sql`seq in (
    select due.seq from deliveries as due
    where due.channel = ${channel} and due.state = 'pending' and due.next_at <= ${now} and due.lease_until <= ${now}
      and not exists (
        select 1 from deliveries as ahead
        where ahead.channel = due.channel and ahead.subject = due.subject and ahead.state = 'pending'
          and ahead.seq < due.seq and typeof(ahead.next_at) = 'integer' and typeof(ahead.lease_until) = 'integer')
    order by due.seq limit ${most})`;
  const claimed = drizzle.update(deliveries).set({ lease, leaseUntil: now + LEASE });
  const seqs = await claimed.where(due).returning({ seq: deliveries.seq });
  const isClaimed = inArray(
    deliveries.seq,
    seqs.map(({ seq }) => seq),
  );
  const rows = await drizzle.select().from(deliveries).where(isClaimed);
  const found = await Promise.all(
    rows.map(async (row) => {
      const [event] = await drizzle.select().from(alertEvents).where(eq(alertEvents.id, row.event));
      if (event === undefined) return [];
      const { id, type, at } = event;
      return { row, lease, event: { id, type, at, data: parseAlertData(event.data) } };
    }),
  );
  const readable = found.flat();
  if (readable.length === rows.length && countOmittedRows(rows) === 0) return readable;
  // A delivery that cannot be read, or whose event cannot, fails. It would hold up the later ones of its subject.
  const lost = notInArray(
    deliveries.seq,
    readable.map(({ row }) => row.seq),
  );
  await drizzle
    .update(deliveries)
    .set({ state: 'failed', lease: null, leaseUntil: 0 })
    .where(and(eq(deliveries.lease, lease), lost));
  return readable;
}

interface Settling {
  now: Millis;
  /** Random number from 0 to 1. */
  random: number;
  duration: Millis;
  /** True to make no further attempts. */
  once?: boolean;
}

/** Stores the result of an attempt, unless the lease expired and another process holds the delivery. */
export async function settle(
  { drizzle }: Database,
  { row, lease }: Claimed,
  { ok, status, answer, retryAfter, headers }: AttemptOutcome,
  { now, random, duration, once = false }: Settling,
): Promise<void> {
  const attempts = row.attempts + 1;
  const pause = ok || once ? null : pauseAfter(attempts, retryAfter, random);
  const state = ok ? 'delivered' : pause === null ? 'failed' : 'pending';
  const attempted = { at: formatTimestamp(now), status, answer, duration_ms: Math.round(duration), headers };
  await drizzle
    .update(deliveries)
    .set({
      ...{ state, attempts, lease: null, leaseUntil: 0 },
      nextAt: now + (pause ?? 0),
      log: addAttempt(row.log, attempted),
    })
    .where(and(eq(deliveries.seq, row.seq), eq(deliveries.lease, lease)));
}
