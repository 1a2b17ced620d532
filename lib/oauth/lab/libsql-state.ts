import { and, desc, eq, inArray, isNull, lte } from 'drizzle-orm';
import type { LibSQLDatabase } from 'drizzle-orm/libsql';
import { labKeys, labRevocations, labTickets } from '@/drizzle/lab-schema';
import { isRefusingControl } from '@/lib/oauth/lab/controls';
import { type LabState, TICKETS_PER_KIND, type TicketKind } from '@/lib/oauth/lab/services';

/** Each process evicts old tickets once per this many new ones. The bound below leaves room for several processes. */
const EVICT_EVERY = 32;
const KEPT = TICKETS_PER_KIND - 500;

const isTicket = (kind: TicketKind, hash: string) => and(eq(labTickets.kind, kind), eq(labTickets.hash, hash));

/** The part of Drizzle's libSQL database that the lab uses: single statements, never an interactive transaction. */
export type LabDatabase = Pick<LibSQLDatabase<Record<string, never>>, 'select' | 'insert' | 'update' | 'delete'>;

/**
 * Keeps the lab's state in libSQL. Each method is one statement, so it is atomic in a file and on a server. A claim is
 * a conditional UPDATE; its RETURNING clause shows which caller came first.
 */
export function createLibsqlState(database: LabDatabase): LabState {
  let sinceEviction = 0;

  const evictOldest = async (kind: TicketKind): Promise<void> => {
    sinceEviction = (sinceEviction + 1) % EVICT_EVERY;
    if (sinceEviction !== 0) return;
    const newest = database
      .select({ seq: labTickets.seq })
      .from(labTickets)
      .where(eq(labTickets.kind, kind))
      .orderBy(desc(labTickets.seq))
      .limit(1)
      .offset(KEPT);
    await database.delete(labTickets).where(and(eq(labTickets.kind, kind), lte(labTickets.seq, newest)));
  };

  return {
    async put(ticket) {
      const insertion = database.insert(labTickets).values(ticket).onConflictDoNothing();
      const inserted = await insertion.returning({ seq: labTickets.seq });
      await evictOldest(ticket.kind);
      return inserted.length === 1;
    },
    async read(kind, hash) {
      const [row] = await database.select().from(labTickets).where(isTicket(kind, hash));
      if (row === undefined) return null;
      const { seq: _, ...ticket } = row;
      return ticket;
    },
    async claim(kind, hash, usedAt, mark) {
      const claimed = await database
        .update(labTickets)
        .set({ usedAt, mark })
        .where(and(isTicket(kind, hash), isNull(labTickets.usedAt)))
        .returning({ seq: labTickets.seq });
      return claimed.length === 1;
    },
    async remark(kind, hash, mark) {
      await database.update(labTickets).set({ mark }).where(isTicket(kind, hash));
    },
    async revoke(id, control, until) {
      await database
        .insert(labRevocations)
        .values({ id, control, until })
        .onConflictDoUpdate({ target: [labRevocations.id, labRevocations.control], set: { until } });
    },
    async revokedBy(ids) {
      if (ids.length === 0) return [];
      const every = database.select({ control: labRevocations.control }).from(labRevocations);
      const rows = await every.where(inArray(labRevocations.id, [...ids]));
      return [...new Set(rows.map((row) => row.control))].filter(isRefusingControl);
    },
    async signingKey(use, fresh) {
      const readStoredKey = async () => (await database.select().from(labKeys).where(eq(labKeys.use, use)))[0];
      const before = await readStoredKey();
      if (before !== undefined) return before;
      const key = await fresh();
      const row = { use, ...key };
      await database.insert(labKeys).values(row).onConflictDoNothing();
      return (await readStoredKey()) ?? key;
    },
    async cleanUp(now) {
      const expired = database.delete(labTickets).where(lte(labTickets.expiresAt, now));
      const ended = database.delete(labRevocations).where(lte(labRevocations.until, now));
      const tickets = await expired.returning({ seq: labTickets.seq });
      return tickets.length + (await ended.returning({ id: labRevocations.id })).length;
    },
  };
}
