import { eq } from 'drizzle-orm';
import { audit } from '@/drizzle/schema';
import { type AuditEntry, change } from '@/lib/admin/change';
import type { AuditRow } from '@/lib/admin/change-kind/record';
import { toUndoneRecord } from '@/lib/admin/change-kind/record';
import { obstacleOf, refuse } from '@/lib/admin/change-kind/reversal';
import { findReversal } from '@/lib/admin/changes';
import { halvesOf } from '@/lib/admin/undo/halves';
import { laterChange } from '@/lib/admin/undo/later-change';
import { wayOf } from '@/lib/admin/undo/undoability';
import { roleAllows } from '@/lib/auth/actor';
import { undoneAction } from '@/lib/contract/audit-actions';
import { undoChange as contract } from '@/lib/contract/undo';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

/** Takes back one change, unless something newer touched the same thing. A promotion is taken back with both halves. */
export const undoChange = implement(contract, (context, { params: { seq } }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const [row] = await database.drizzle.select().from(audit).where(eq(audit.seq, seq));
    if (row === undefined) throw new ApiError('not_found', 'There is no such change.');
    const halves = await halvesOf(database, row);
    const plans: Awaited<ReturnType<typeof planOf>>[] = [];
    for (const [index, half] of halves.entries()) plans.push(await planOf(context, half, revision + index));
    return {
      audit: plans.map(({ entry }) => entry),
      statements: plans.flatMap(({ statements = [] }) => statements),
      counters: plans.flatMap(({ counters = [] }) => counters),
      result: {
        // That of the newest record, as in X-Audit-Seq: it takes both halves back too.
        seq: revision + plans.length - 1,
        undoes: seq,
        restored: plans.map(({ restored }) => restored).join(' '),
      },
    };
  });
});

/** What takes one record back. @throws ApiError conflict, forbidden */
async function planOf(context: Context, row: AuditRow, revision: number) {
  const reversal = findReversal(row.action);
  if (typeof reversal === 'string') return refuse(reversal);
  const action = undoneAction(row.action) ?? refuse('It is of no known kind.');
  if (!roleAllows(context.actor.role, reversal.role))
    throw new ApiError('forbidden', `Undoing it needs the role ${reversal.role}.`);
  const record = toUndoneRecord(row);
  const later = await laterChange(context.services.database, row);
  if (later !== null) return refuse(wayOf(later, row.seq));
  const obstacle = obstacleOf(reversal, record, context.now);
  if (obstacle !== null) return refuse(obstacle);
  const entry: AuditEntry = {
    action: `${action}.undo`,
    targetType: row.targetType,
    target: row.target,
    before: record.after,
    after: record.before,
    undoes: row.seq,
  };
  return { entry, ...(await reversal.plan(context, record, revision)) };
}
