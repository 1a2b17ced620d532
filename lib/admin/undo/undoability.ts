import { inArray, sql } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { type AuditRow, parseUndoneRecord } from '@/lib/admin/change-kind/record';
import { findObstacle, type Reversal } from '@/lib/admin/change-kind/reversal';
import { findReversal } from '@/lib/admin/changes';
import { findLaterChange } from '@/lib/admin/undo/later-change';
import { listRecordsToUndo } from '@/lib/admin/undo/records-to-undo';
import { isSameThing } from '@/lib/admin/undo/same-thing';
import { isRoleAllowed } from '@/lib/auth/actor';
import type { AuditRecord } from '@/lib/contract/audit-log';
import type { Database } from '@/lib/db/database';
import type { Context } from '@/lib/operation/context';

type Undoability = AuditRecord['undo'];

const denyUndo = (why: string): Undoability => ({ possible: false, why });

/** Finds the reversal of a record, or the reason why it has none. Reads nothing but the record. */
function judgeRecord({ actor, now }: Context, row: AuditRow): Reversal | Undoability {
  const reversal = findReversal(row.action);
  if (typeof reversal === 'string') return denyUndo(reversal);
  const obstacle = findObstacle(reversal, parseUndoneRecord(row), now);
  if (obstacle !== null) return denyUndo(obstacle);
  return isRoleAllowed(actor.role, reversal.role) ? reversal : denyUndo(`Undoing it needs the role ${reversal.role}.`);
}

/** Says that a later change prevents an undo. */
export function describeLaterChange(later: AuditRow, seq: number): string {
  return later.undoes === seq
    ? `It was already undone, by ${later.actorName} with change ${later.seq}.`
    : `${later.actorName} changed the same thing later, with change ${later.seq}.`;
}

/** Finds out whether the caller can undo each change of a page of the audit log. */
export async function findUndoability(context: Context, rows: readonly AuditRow[]): Promise<Map<number, Undoability>> {
  const { database } = context.services;
  const answers = new Map<number, Undoability>();
  const open: AuditRow[] = [];
  for (const row of rows) {
    const found = judgeRecord(context, row);
    if ('possible' in found) answers.set(row.seq, found);
    else open.push(row);
  }
  const newest = await readNewest(database, open);
  for (const row of open) {
    const last = newest.get(row.seq);
    const later = last === undefined ? null : canRuleOut(last, row) ? last : await findLaterChange(database, row);
    answers.set(
      row.seq,
      later === null ? await judgeOtherHalf(context, row) : denyUndo(describeLaterChange(later, row.seq)),
    );
  }
  return answers;
}

/** Judges the other half of a change that has two. */
async function judgeOtherHalf(context: Context, row: AuditRow): Promise<Undoability> {
  const { database } = context.services;
  for (const half of await listRecordsToUndo(database, row)) {
    if (half.seq === row.seq) continue;
    const found = judgeRecord(context, half);
    if ('possible' in found) return found;
    const later = await findLaterChange(database, half);
    if (later !== null) return denyUndo(describeLaterChange(later, half.seq));
  }
  return { possible: true };
}

/** Says whether the newest record of a target is enough to rule out the undo of an older one. */
function canRuleOut(last: AuditRow, row: AuditRow): boolean {
  const touches = isSameThing(parseUndoneRecord(last), parseUndoneRecord(row));
  return touches && (last.undoes === null || last.undoes <= row.seq);
}

/** Reads the newest record of each row's target, if it is a later one. Makes two queries for any number of rows. */
async function readNewest({ drizzle }: Database, rows: readonly AuditRow[]): Promise<Map<number, AuditRow>> {
  if (rows.length === 0) return new Map();
  // Drizzle omits the table of a column here, so `sql` names would refer to the inner table.
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
