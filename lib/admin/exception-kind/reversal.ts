import { and, eq, isNotNull, ne } from 'drizzle-orm';
import { z } from 'zod';
import { allowlist, overrides } from '@/drizzle/schema';
import { ALLOWLIST_ENTRIES } from '@/lib/admin/allowlist/row';
import { membersOf, type Reversal, refuse, refuseUnless, sameMembers, timeIn } from '@/lib/admin/change-kind/reversal';
import { type ExceptionKind, ifActive, markRemoved } from '@/lib/admin/exception-kind/exception-kind';
import { OVERRIDES } from '@/lib/admin/overrides/row';
import type { Statement } from '@/lib/db/database';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

type Row = typeof allowlist.$inferSelect | typeof overrides.$inferSelect;
type Table = typeof allowlist | typeof overrides;

interface EntryReversal<R extends Row> {
  // biome-ignore lint/suspicious/noExplicitAny: a row of the table is a target of its kind.
  kind: ExceptionKind<any, R>;
  table: Table;
  /** The members of its record that an edit changes. */
  members: readonly string[];
  /** Their columns. */
  columns(before: unknown): object;
  /** What it is called, after an identifier. */
  words: { gone: string; back: string; edited: string };
}

/** When an entry that a record would bring back has ended; null while it has not. */
export function endedAt(before: unknown, member: 'expires_at' | 'until', now: Millis): string | null {
  const { [member]: end } = membersOf(before);
  return typeof end === 'string' && Date.parse(end) <= now ? end : null;
}

/** Takes back what was done to an entry: adding, editing and removing it, and the undo of each. */
function reversalOf<R extends Row>({ kind, table, members, columns, words }: EntryReversal<R>): Reversal {
  return {
    role: 'operator',
    obstacle: ({ before }, now) => {
      const ended = endedAt(before, 'expires_at', now);
      return ended === null ? null : `What it would bring back expired at ${ended}. Add it again with a new expiry.`;
    },
    async plan(context, record, revision) {
      const { drizzle } = context.services.database;
      const { before, after } = record;
      const id = String(membersOf(before ?? after).id);
      const [row] = await drizzle.select().from(table).where(eq(table.id, id));
      if (row === undefined) return refuse('What it changed is not there any more.');
      const present = row.removedAt === null ? kind.toRecord(row as R) : null;
      refuseUnless((present === null) === (after === null) && sameMembers(present, after, members));
      const { identifier } = row;
      if (before === null) {
        // An expired entry that the new one had replaced stands again, expired.
        const replaced = and(eq(table.revision, record.seq), isNotNull(table.removedAt), ne(table.id, id));
        const statements: Statement[] = [
          markRemoved(context, table, id, revision),
          drizzle.update(table).set({ removedAt: null, revision }).where(replaced),
        ];
        return { statements, restored: `${identifier} ${words.gone}.` };
      }
      const edited = drizzle
        .update(table)
        .set({ ...columns(before), removedAt: null, revision })
        .where(eq(table.id, id));
      if (present !== null) return { statements: [edited], restored: `${words.edited} ${identifier} was restored.` };
      return {
        statements: [...(await expiredInPlace(context, kind, row as R, revision)), edited],
        restored: `${identifier} ${words.back}.`,
      };
    },
  };
}

/** Makes room for an entry that comes back: an expired one may stand in its place. @throws ApiError conflict */
async function expiredInPlace<R extends Row>(
  context: Context,
  { table, find }: ExceptionKind<R, R>,
  row: R,
  revision: number,
): Promise<Statement[]> {
  const other = await find(context.services.database, row);
  if (other === undefined) return [];
  if (ifActive(other, context.now) !== undefined) refuse('Another entry for the same identifier is active now.');
  return [markRemoved(context, table, other.id, revision)];
}

const Lifetime = z.object({ reason: z.string(), expires_at: z.string().nullable() });
const Limited = Lifetime.extend({ limit: z.number(), window_seconds: z.number() });

export const ALLOWLIST_REVERSAL = reversalOf({
  kind: ALLOWLIST_ENTRIES,
  table: allowlist,
  members: ['reason', 'expires_at'],
  columns: (before) => {
    const { reason, expires_at } = Lifetime.parse(before);
    return { reason, expiresAt: timeIn(expires_at) };
  },
  words: {
    gone: 'is no longer on the allowlist',
    back: 'is back on the allowlist',
    edited: 'The allowlist entry of',
  },
});

export const OVERRIDE_REVERSAL = reversalOf({
  kind: OVERRIDES,
  table: overrides,
  members: ['reason', 'expires_at', 'limit', 'window_seconds'],
  columns: (before) => {
    const { reason, expires_at, limit, window_seconds: windowSeconds } = Limited.parse(before);
    return { reason, expiresAt: timeIn(expires_at), limit, windowSeconds };
  },
  words: {
    gone: 'has the limit of the policies again',
    back: 'has its own limit again',
    edited: 'The override of',
  },
});
