import { eq } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import { presentAllowlistRow, toAllowlistEntry } from '@/lib/admin/allowlist/row';
import { change } from '@/lib/admin/change';
import { isActive } from '@/lib/admin/exceptions';
import { removeAllowlistEntry as contract } from '@/lib/contract/allowlist';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Ends the bypass of an identifier. */
export const removeAllowlistEntry = implement(contract, async (context, { body }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const entry = await presentAllowlistRow(database, body.type, body.identifier);
    if (entry === undefined || !isActive(entry, context.now)) {
      throw new ApiError('not_found', 'No active allowlist entry matches.');
    }
    return {
      audit: {
        action: 'allowlist.remove',
        targetType: 'allowlist',
        target: entry.identifier,
        before: toAllowlistEntry(entry),
      },
      statements: [
        database.drizzle.update(allowlist).set({ removedAt: context.now, revision }).where(eq(allowlist.id, entry.id)),
      ],
      result: undefined,
    };
  });
});
