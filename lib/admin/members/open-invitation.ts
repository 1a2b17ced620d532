import { and, eq, gt, isNull } from 'drizzle-orm';
import { invitations, members } from '@/drizzle/schema';
import type { MemberRow } from '@/lib/admin/members/row';
import { hashSecret } from '@/lib/auth/secret-hash';
import type { Database } from '@/lib/db/database';
import { convertDatabaseError } from '@/lib/db/errors';
import type { Millis } from '@/lib/units';

/** Finds the member of an invitation by its token. Null if it was used or replaced, or has expired. */
export async function openInvitation(
  { drizzle }: Database,
  token: string,
  now: Millis,
): Promise<{ member: MemberRow; expiresAt: Millis } | null> {
  const open = and(eq(invitations.tokenHash, hashSecret(token)), gt(invitations.expiresAt, now));
  try {
    const [row] = await drizzle
      .select({ member: members, expiresAt: invitations.expiresAt })
      .from(invitations)
      .innerJoin(members, eq(members.id, invitations.memberId))
      .where(and(open, isNull(members.removedAt)));
    return row ?? null;
  } catch (error) {
    throw convertDatabaseError(error);
  }
}
