import { inArray, sql } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import type { AuditRow } from '@/lib/admin/audit-log/record';
import { laterChange } from '@/lib/admin/undo/later-change';
import { obstacleOf, type Reversal, toUndoneRecord } from '@/lib/admin/undo/reversal';
import { reversalOf } from '@/lib/admin/undo/reversals';
import { roleAllows } from '@/lib/auth/actor';
import type { AuditRecord } from '@/lib/contract/audit-log';
import type { Database } from '@/lib/db/database';
import type { Context } from '@/lib/operation/context';

type Undoability = AuditRecord['undo'];

const no = (why: string): Undoability => ({ possible: false, why });

/** What the record alone says: its reversal, or why there is none. */
function standing({ actor, now }: Context, row: AuditRow): Reversal | Undoability {
  const reversal = reversalOf(row.action);
  if (typeof reversal === 'string') return no(reversal);
  const obstacle = obstacleOf(reversal, toUndoneRecord(row), now);
  if (obstacle !== null) return no(obstacle);
  return roleAllows(actor.role, reversal.role) ? reversal : no(`Taking it back needs the role ${reversal.role}.`);
}

/** Why a later change stands in the way of an undo, in a sentence. */
export function wayOf(later: AuditRow, seq: number): string {
  return later.undoes === seq
    ? `It was taken back already, by ${later.actorName} with change ${later.seq}.`
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
  const touched = await touchedLater(database, open);
  for (const row of open) {
    const later = touched.has(row.seq) ? await laterChange(database, row) : null;
    answers.set(row.seq, later === null ? { possible: true } : no(wayOf(later, row.seq)));
  }
  return answers;
}

/** Records whose target has a newer record. */
async function touchedLater({ drizzle }: Database, rows: readonly AuditRow[]): Promise<Set<number>> {
  if (rows.length === 0) return new Set();
  const newer = sql`exists (select 1 from audit as later
    where later.target_type = ${audit.targetType} and later.target = ${audit.target} and later.seq > ${audit.seq})`;
  const seqs = rows.map(({ seq }) => seq);
  const found = await drizzle
    .select({ seq: audit.seq, newer: sql<number>`${newer}` })
    .from(audit)
    .where(inArray(audit.seq, seqs));
  return new Set(found.filter((row) => row.newer === 1).map(({ seq }) => seq));
}
