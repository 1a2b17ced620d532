import { eq } from 'drizzle-orm';
import { overrides } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { isActive } from '@/lib/admin/expiry';
import { presentOverrideRow, toOverride } from '@/lib/admin/overrides/row';
import { OverrideTarget } from '@/lib/contract/overrides';
import { ApiError } from '@/lib/http/api-error';
import { operation } from '@/lib/operation/operation';

/** Takes an identifier's own limit away: the policy holds again from the next decision on. */
export const removeOverride = operation({
  id: 'removeOverride',
  method: 'DELETE',
  path: '/v1/admin/rate-limit/overrides',
  tag: 'Overrides',
  summary: 'Remove an own limit',
  access: 'operator',
  body: { schema: OverrideTarget, required: true },
  response: { status: 204, description: 'The policy of the class holds again.' },
  errors: ['not_found', 'conflict'],
  run: (context, { body }) => {
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
  },
});
