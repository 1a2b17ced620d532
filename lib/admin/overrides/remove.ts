import { eq } from 'drizzle-orm';
import { overrides } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { isActive } from '@/lib/admin/exceptions';
import { presentOverrideRow, toOverride } from '@/lib/admin/overrides/row';
import { removeOverride as contract } from '@/lib/contract/overrides';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Removes an override: the policy holds again from the next decision on. */
export const removeOverride = implement(contract, (context, { body }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const row = await presentOverrideRow(database, body);
    if (row === undefined || !isActive(row, context.now))
      throw new ApiError('not_found', 'No active override matches.');
    return {
      audit: {
        action: 'override.remove',
        targetType: 'override',
        target: row.identifier,
        before: toOverride(row, null),
      },
      statements: [
        database.drizzle.update(overrides).set({ removedAt: context.now, revision }).where(eq(overrides.id, row.id)),
      ],
      result: undefined,
    };
  });
});
