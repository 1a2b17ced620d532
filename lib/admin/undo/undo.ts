import { eq } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { laterChange } from '@/lib/admin/undo/later-change';
import { obstacleOf, refuse, toUndoneRecord } from '@/lib/admin/undo/reversal';
import { reversalOf } from '@/lib/admin/undo/reversals';
import { wayOf } from '@/lib/admin/undo/undoability';
import { roleAllows } from '@/lib/auth/actor';
import { undoneAction } from '@/lib/contract/audit-actions';
import { undoChange as contract } from '@/lib/contract/undo';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Takes back one change, unless something newer touched the same thing. */
export const undoChange = implement(contract, (context, { params: { seq } }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const [row] = await database.drizzle.select().from(audit).where(eq(audit.seq, seq));
    if (row === undefined) throw new ApiError('not_found', 'There is no such change.');
    const reversal = reversalOf(row.action);
    if (typeof reversal === 'string') return refuse(reversal);
    const action = undoneAction(row.action) ?? refuse('It is of no known kind.');
    if (!roleAllows(context.actor.role, reversal.role))
      throw new ApiError('forbidden', `Undoing it needs the role ${reversal.role}.`);
    const record = toUndoneRecord(row);
    const later = await laterChange(database, row);
    if (later !== null) return refuse(wayOf(later, seq));
    const obstacle = obstacleOf(reversal, record, context.now);
    if (obstacle !== null) return refuse(obstacle);
    const { restored, ...writes } = await reversal.plan(context, record, revision);
    return {
      audit: {
        action: `${action}.undo`,
        targetType: row.targetType,
        target: row.target,
        before: record.after,
        after: record.before,
        undoes: seq,
      },
      ...writes,
      result: { seq: revision, undoes: seq, restored },
    };
  });
});
