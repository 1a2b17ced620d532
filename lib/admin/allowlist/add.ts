import { eq } from 'drizzle-orm';
import { allowlist } from '@/drizzle/schema';
import { presentAllowlistRow, toAllowlistEntry } from '@/lib/admin/allowlist/row';
import { change } from '@/lib/admin/change';
import { checkedExpiry, isActive } from '@/lib/admin/exceptions';
import { orderedId } from '@/lib/admin/new-row';
import { addAllowlistEntry as contract } from '@/lib/contract/allowlist';
import { toInstantOrNull } from '@/lib/contract/fields/instant';
import { implement } from '@/lib/operation/operation';

/** Lets an identifier bypass rate limiting. An active entry keeps its id and gets the new reason and expiry. */
export const addAllowlistEntry = implement(contract, (context, { body }) => {
  const { type, identifier, reason } = body;
  const expiresAt = checkedExpiry(body.expires_at, context.now);
  const { database, randomBytes } = context.services;
  return change(context, async (revision) => {
    const existing = await presentAllowlistRow(database, type, identifier);
    const result = { allowlisted: true as const, identifier, expires_at: toInstantOrNull(expiresAt) };
    if (existing !== undefined && isActive(existing, context.now)) {
      const replaced = { ...existing, reason, expiresAt, revision };
      return {
        audit: {
          action: 'allowlist.replace',
          targetType: 'allowlist',
          target: identifier,
          before: toAllowlistEntry(existing),
          after: toAllowlistEntry(replaced),
          reason,
        },
        statements: [
          database.drizzle.update(allowlist).set({ reason, expiresAt, revision }).where(eq(allowlist.id, existing.id)),
        ],
        result,
      };
    }
    const row = {
      id: orderedId(context.now, revision, randomBytes),
      type,
      identifier,
      reason,
      expiresAt,
      createdAt: context.now,
      createdBy: context.actor.name,
      removedAt: null,
      revision,
    };
    const expired = existing === undefined ? [] : [existing.id];
    return {
      audit: {
        action: 'allowlist.add',
        targetType: 'allowlist',
        target: identifier,
        after: toAllowlistEntry(row),
        reason,
      },
      statements: [
        ...expired.map((id) =>
          database.drizzle.update(allowlist).set({ removedAt: context.now, revision }).where(eq(allowlist.id, id)),
        ),
        database.drizzle.insert(allowlist).values(row),
      ],
      result,
    };
  });
});
