import { and, eq, gte, isNull, ne } from 'drizzle-orm';
import { adminTokens, audit } from '@/drizzle/schema';
import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { findPastEnd } from '@/lib/admin/change-kind/record';
import { refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { formatRevocation } from '@/lib/admin/effect/credential-sentences';
import { readLastUse } from '@/lib/admin/stored-list';
import { AdminTokenIdSchema } from '@/lib/contract/fields/ids';
import { formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { Context } from '@/lib/operation/context';
import { HOUR } from '@/lib/units';

export const TOKEN_CHANGES: ChangeKinds<'token'> = {
  'token.create': { thing: 'token', reversal: 'The new token has been shown already. Revoke it instead.' },
  'token.revoke': {
    thing: 'token',
    // The hash of the token is kept, so the same token works again.
    reversal: {
      role: 'owner',
      obstacle: ({ before }, now) => {
        const ended = findPastEnd(before, 'expires_at', now);
        return ended === null ? null : `The token expired at ${ended}.`;
      },
      async plan({ services, now }, { target, before, after }, revision) {
        const { drizzle } = services.database;
        const [row] = await drizzle
          .select()
          .from(adminTokens)
          .where(eq(adminTokens.id, AdminTokenIdSchema.parse(target)));
        if (row === undefined) return refuse('The token no longer exists.');
        refuseUnless((row.revokedAt === null) === (after !== null));
        const namesake = and(eq(adminTokens.name, row.name), isNull(adminTokens.revokedAt), ne(adminTokens.id, row.id));
        if (before !== null && (await drizzle.$count(adminTokens, namesake)) > 0)
          refuse('Another token has its name now.');
        const edited = drizzle.update(adminTokens).set({ revokedAt: before === null ? now : null, revision });
        return {
          statements: [edited.where(eq(adminTokens.id, row.id))],
          restored: `The token ${row.name} ${before === null ? 'is revoked' : 'works'} again.`,
        };
      },
    },
    effect: async (context, { action, target }) =>
      action === 'token.revoke' ? describeRevokedToken(context, target) : null,
  },
};

/** Says how a token was used. */
async function describeRevokedToken(context: Context, id: string): Promise<string> {
  const { database } = context.services;
  const changesByToken = and(eq(audit.actor, `token:${id}`), gte(audit.at, context.now - HOUR));
  const changes = await database.drizzle.$count(audit, changesByToken);
  return formatRevocation({
    kind: 'token',
    changes,
    lastUse: formatTimestampOrNull(await readLastUse(database, 'token', id)),
  });
}
