import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { audit } from '@/drizzle/schema';
import { type AuditEntry, change } from '@/lib/admin/change';
import { type AuditRow, parseUndoneRecord } from '@/lib/admin/change-kind/record';
import { findObstacle, refuse } from '@/lib/admin/change-kind/reversal';
import { findReversal } from '@/lib/admin/changes';
import { findLaterChange } from '@/lib/admin/undo/later-change';
import { listRecordsToUndo } from '@/lib/admin/undo/records-to-undo';
import { describeLaterChange } from '@/lib/admin/undo/undoability';
import { isRoleAllowed } from '@/lib/auth/actor';
import { findUndoneAction } from '@/lib/contract/audit-actions';
import { undoChange as contract } from '@/lib/contract/undo';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

/** Undoes one change, unless a later change touched the same thing. A promotion is undone with both halves. */
export const undoChange = implement(contract, (context, { params: { seq } }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const [row] = await database.drizzle.select().from(audit).where(eq(audit.seq, seq));
    if (row === undefined) throw new ApiError('not_found', 'There is no such change.');
    const halves = await listRecordsToUndo(database, row);
    const plans: Awaited<ReturnType<typeof planUndo>>[] = [];
    for (const [index, half] of halves.entries()) plans.push(await planUndo(context, half, revision + index));
    return {
      audit: plans.map(({ entry }) => entry),
      statements: plans.flatMap(({ statements = [] }) => statements),
      counters: plans.flatMap(({ counters = [] }) => counters),
      result: {
        // The newest record, as in X-Audit-Seq, because its undo covers both halves.
        seq: revision + plans.length - 1,
        undoes: seq,
        restored: plans.map(({ restored }) => restored).join(' '),
      },
    };
  });
});

/** Plans the undo of one record. @throws ApiError conflict, forbidden */
async function planUndo(context: Context, row: AuditRow, revision: number) {
  const reversal = findReversal(row.action);
  if (typeof reversal === 'string') return refuse(reversal);
  const action = findUndoneAction(row.action) ?? refuse('It is of no known kind.');
  if (!isRoleAllowed(context.actor.role, reversal.role))
    throw new ApiError('forbidden', `Undoing it needs the role ${reversal.role}.`);
  const record = parseUndoneRecord(row);
  const later = await findLaterChange(context.services.database, row);
  if (later !== null) return refuse(describeLaterChange(later, row.seq));
  const obstacle = findObstacle(reversal, record, context.now);
  if (obstacle !== null) return refuse(obstacle);
  const entry: AuditEntry = {
    action: `${action}.undo`,
    targetType: row.targetType,
    target: row.target,
    before: record.after,
    after: record.before,
    undoes: row.seq,
  };
  try {
    return { entry, ...(await reversal.plan(context, record, revision)) };
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError) return refuse('Its record cannot be read.');
    throw error;
  }
}
