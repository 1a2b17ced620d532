import { and, eq, isNotNull, ne } from 'drizzle-orm';
import type { allowlist, overrides } from '@/drizzle/schema';
import { findPastEnd, haveSameMembers, readMembers, type UndoneRecord } from '@/lib/admin/change-kind/record';
import { type Reversal, refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { type ExceptionKind, markRemoved } from '@/lib/admin/exception-kind/exception-kind';
import { findIfActive } from '@/lib/admin/expiry';
import type { Statement } from '@/lib/db/database';
import type { Context } from '@/lib/operation/context';

type Row = typeof allowlist.$inferSelect | typeof overrides.$inferSelect;

interface EntryReversal<R extends Row> {
  // biome-ignore lint/suspicious/noExplicitAny: a row of the table is a target of its kind.
  kind: ExceptionKind<any, R>;
  /** Members of the audit record that an edit changes. */
  members: readonly string[];
  /** Converts those members to columns. */
  columns(before: unknown): object;
  /** Words of the sentences that describe the undo. */
  words: { gone: string; back: string; edited: string };
}

/** Identifies an exemption by its type and identifier, and an override also by its class or named limit. */
export function identifyException({ action, before, after }: UndoneRecord): string {
  const { type, identifier, class: endpointClass, limit_name: limitName } = readMembers(before ?? after);
  return JSON.stringify([action.replace(/[.].*/, ''), type, identifier, endpointClass, limitName]);
}

/** Builds the reversal for adding, editing and removing an entry, and for the undo of each. */
export function buildExceptionReversal<R extends Row>({ kind, members, columns, words }: EntryReversal<R>): Reversal {
  const { table } = kind;
  return {
    role: 'operator',
    obstacle: ({ before }, now) => {
      const ended = findPastEnd(before, 'expires_at', now);
      return ended === null ? null : `What it would bring back expired at ${ended}. Add it again with a new expiry.`;
    },
    async plan(context, record, revision) {
      const { drizzle } = context.services.database;
      const { before, after } = record;
      const id = String(readMembers(before ?? after).id);
      const [row] = await drizzle.select().from(table).where(eq(table.id, id));
      if (row === undefined) return refuse('The target no longer exists.');
      const present = row.removedAt === null ? kind.toRecord(row as R) : null;
      refuseUnless((present === null) === (after === null) && haveSameMembers(present, after, members));
      const { identifier } = row;
      if (before === null) {
        // The expired entry that the new one replaced returns, still expired.
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
        statements: [...(await clearExpiredRow(context, kind, row as R, revision)), edited],
        restored: `${identifier} ${words.back}.`,
      };
    },
  };
}

/** Removes an expired entry that blocks a restored one. @throws ApiError conflict if the other entry is active */
async function clearExpiredRow<R extends Row>(
  context: Context,
  { table, find }: ExceptionKind<R, R>,
  row: R,
  revision: number,
): Promise<Statement[]> {
  const other = await find(context.services.database, row);
  if (other === undefined) return [];
  if (findIfActive(other, context.now) !== undefined) refuse('Another entry for the same identifier is active now.');
  return [markRemoved(context, table, other.id, revision)];
}
