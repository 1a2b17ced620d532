import { and, eq, gt, isNull } from 'drizzle-orm';
import { grants } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { buildGrantRecord } from '@/lib/admin/grants/row';
import { removeGrant as contract } from '@/lib/contract/grants';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Ends a grant early. */
export const removeGrant = implement(contract, (context, { body }) => {
  const { drizzle } = context.services.database;
  return change(context, async (revision) => {
    const active = and(eq(grants.id, body.id), isNull(grants.removedAt), gt(grants.until, context.now));
    const [row] = await drizzle.select().from(grants).where(active);
    if (row === undefined) throw new ApiError('not_found', 'There is no such active grant.');
    const removed = { removedAt: context.now, revision };
    return {
      audit: buildGrantRecord('remove', row),
      statements: [drizzle.update(grants).set(removed).where(eq(grants.id, row.id))],
    };
  });
});
