import { eq } from 'drizzle-orm';
import { lastUses, overrides } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { checkedExpiry, isActive } from '@/lib/admin/exceptions';
import { orderedId } from '@/lib/admin/new-row';
import { type OverrideRow, presentOverrideRow, toOverride } from '@/lib/admin/overrides/row';
import { putOverride as contract } from '@/lib/contract/overrides';
import { implement } from '@/lib/operation/operation';

/** Overrides the limit of an identifier in one class, from the next decision on. An active override keeps its id. */
export const putOverride = implement(contract, (context, { body }) => {
  const { database, randomBytes } = context.services;
  const { type, identifier, class: endpointClass, limit, window_seconds: windowSeconds, reason } = body;
  const expiresAt = checkedExpiry(body.expires_at, context.now);
  return change(context, async (revision) => {
    const existing = await presentOverrideRow(database, body);
    const edited = { limit, windowSeconds, reason, expiresAt, revision };
    if (existing !== undefined && isActive(existing, context.now)) {
      const [use] = await database.drizzle
        .select()
        .from(lastUses)
        .where(eq(lastUses.subject, `override:${existing.id}`));
      const after = toOverride({ ...existing, ...edited }, use?.at ?? null);
      return {
        audit: {
          action: 'override.replace',
          targetType: 'override',
          target: identifier,
          before: toOverride(existing, use?.at ?? null),
          after,
          reason,
        },
        statements: [database.drizzle.update(overrides).set(edited).where(eq(overrides.id, existing.id))],
        result: after,
      };
    }
    const row: OverrideRow = {
      id: orderedId(context.now, revision, randomBytes),
      type,
      identifier,
      class: endpointClass,
      ...edited,
      createdAt: context.now,
      createdBy: context.actor.name,
      removedAt: null,
    };
    const expired = existing === undefined ? [] : [existing.id];
    return {
      audit: {
        action: 'override.set',
        targetType: 'override',
        target: identifier,
        after: toOverride(row, null),
        reason,
      },
      statements: [
        ...expired.map((id) =>
          database.drizzle.update(overrides).set({ removedAt: context.now, revision }).where(eq(overrides.id, id)),
        ),
        database.drizzle.insert(overrides).values(row),
      ],
      result: toOverride(row, null),
    };
  });
});
