import { and, eq, isNull, ne } from 'drizzle-orm';
import { adminTokens } from '@/drizzle/schema';
import { endedAt } from '@/lib/admin/change-kind/record';
import { type Reversal, refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { AdminTokenIdSchema } from '@/lib/contract/fields/ids';

/** Takes back the revocation of a token: its hash is kept, so that the same token works again. */
export const TOKEN_REVERSAL: Reversal = {
  role: 'owner',
  obstacle: ({ before }, now) => {
    const ended = endedAt(before, 'expires_at', now);
    return ended === null ? null : `The token expired at ${ended}.`;
  },
  async plan({ services, now }, { target, before, after }, revision) {
    const { drizzle } = services.database;
    const [row] = await drizzle
      .select()
      .from(adminTokens)
      .where(eq(adminTokens.id, AdminTokenIdSchema.parse(target)));
    if (row === undefined) return refuse('There is no such token any more.');
    refuseUnless((row.revokedAt === null) === (after !== null));
    const namesake = and(eq(adminTokens.name, row.name), isNull(adminTokens.revokedAt), ne(adminTokens.id, row.id));
    if (before !== null && (await drizzle.$count(adminTokens, namesake)) > 0) refuse('Another token has its name now.');
    const edited = drizzle.update(adminTokens).set({ revokedAt: before === null ? now : null, revision });
    return {
      statements: [edited.where(eq(adminTokens.id, row.id))],
      restored: `The token ${row.name} ${before === null ? 'is revoked' : 'works'} again.`,
    };
  },
};
