import { eq } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import { toAllowlistEntry } from '@/lib/admin/allowlist/entry';
import { presentAllowlistRow } from '@/lib/admin/allowlist/present-row';
import { change } from '@/lib/admin/change';
import { isActive } from '@/lib/admin/expiry';
import { IdentifierTarget } from '@/lib/contract/allowlist';
import { ApiError } from '@/lib/http/api-error';
import { operation } from '@/lib/operation/operation';

/** Ends the bypass of an identifier. */
export const removeAllowlistEntry = operation({
  id: 'removeAllowlistEntry',
  method: 'DELETE',
  path: '/v1/admin/rate-limit/allowlist',
  tag: 'Allowlist',
  summary: 'Remove an allowlist entry',
  description: 'Every spelling of an address finds its entry. An entry that has expired is none any more.',
  access: 'operator',
  body: { schema: IdentifierTarget, required: true },
  response: { status: 204, description: 'The identifier is rate limited from the next decision on.' },
  errors: ['not_found', 'conflict'],
  run: async (context, { body }) => {
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
          database.drizzle
            .update(allowlist)
            .set({ removedAt: context.now, revision })
            .where(eq(allowlist.id, entry.id)),
        ],
        result: undefined,
      };
    });
  },
});
