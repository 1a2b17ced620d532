import { inArray, sql } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import type { AuditRow } from '@/lib/admin/change-kind/record';
import { toUndoneRecord } from '@/lib/admin/change-kind/record';
import { obstacleOf, type Reversal } from '@/lib/admin/change-kind/reversal';
import { findReversal } from '@/lib/admin/changes';
import { halvesOf } from '@/lib/admin/undo/halves';
import { laterChange } from '@/lib/admin/undo/later-change';
import { isSameThing } from '@/lib/admin/undo/same-thing';
import { roleAllows } from '@/lib/auth/actor';
import type { AuditRecord } from '@/lib/contract/audit-log';
import type { Database } from '@/lib/db/database';
import type { Context } from '@/lib/operation/context';

type Undoability = AuditRecord['undo'];

const no = (why: string): Undoability => ({ possible: false, why });

/** What the record alone says: its reversal, or why there is none. */
function standing({ actor, now }: Context, row: AuditRow): Reversal | Undoability {
  const reversal = findReversal(row.action);
  if (typeof reversal === 'string') return no(reversal);
  const obstacle = obstacleOf(reversal, toUndoneRecord(row), now);
  if (obstacle !== null) return no(obstacle);
  return roleAllows(actor.role, reversal.role) ? reversal : no(`Undoing it needs the role ${reversal.role}.`);
}

/** Why a later change stands in the way of an undo, in a sentence. */
export function wayOf(later: AuditRow, seq: number): string {
  return later.undoes === seq
    ? `It was already undone, by ${later.actorName} with change ${later.seq}.`
    : `${later.actorName} changed the same thing later, with change ${later.seq}.`;
}

/** Whether changes can be taken back now by who asks, for a page of the audit log. */
export async function undoabilities(context: Context, rows: readonly AuditRow[]): Promise<Map<number, Undoability>> {
  const { database } = context.services;
  const answers = new Map<number, Undoability>();
  const open: AuditRow[] = [];
  for (const row of rows) {
    const found = standing(context, row);
    if ('possible' in found) answers.set(row.seq, found);
    else open.push(row);
  }
  const newest = await newestLater(database, open);
  for (const row of open) {
    const last = newest.get(row.seq);
    const later = last === undefined ? null : isInTheWay(last, row) ? last : await laterChange(database, row);
    answers.set(row.seq, later === null ? await withOtherHalf(context, row) : no(wayOf(later, row.seq)));
  }
  return answers;
}

/** What the other half of a change says, where it has two. */
async function withOtherHalf(context: Context, row: AuditRow): Promise<Undoability> {
  const { database } = context.services;
  for (const half of await halvesOf(database, row)) {
    if (half.seq === row.seq) continue;
    const found = standing(context, half);
    if ('possible' in found) return found;
    const later = await laterChange(database, half);
    if (later !== null) return no(wayOf(later, half.seq));
  }
  return { possible: true };
}

/** Whether the newest record of a target alone says that an older one cannot be taken back. */
function isInTheWay(last: AuditRow, row: AuditRow): boolean {
  const touches = isSameThing(toUndoneRecord(last), toUndoneRecord(row));
  return touches && (last.undoes === null || last.undoes <= row.seq);
}

/** The newest record of the target of each of these, where it is another one. Two queries, however many there are. */
async function newestLater({ drizzle }: Database, rows: readonly AuditRow[]): Promise<Map<number, AuditRow>> {
  if (rows.length === 0) return new Map();
  // Drizzle names columns without their table here, which would be those of the inner one.
  const newest = sql<number>`(select max(later.seq) from audit as later
    where later.target_type = audit.target_type and later.target = audit.target)`;
  const seqs = rows.map(({ seq }) => seq);
  const found = await drizzle.select({ seq: audit.seq, newest }).from(audit).where(inArray(audit.seq, seqs));
  const later = found.filter((row) => row.newest > row.seq);
  const numbers = [...new Set(later.map((row) => row.newest))];
  const records = numbers.length === 0 ? [] : await drizzle.select().from(audit).where(inArray(audit.seq, numbers));
  const bySeq = new Map(records.map((record) => [record.seq, record]));
  return new Map(
    later.flatMap(({ seq, newest: last }) => {
      const record = bySeq.get(last);
      return record === undefined ? [] : [[seq, record] as const];
    }),
  );
}
