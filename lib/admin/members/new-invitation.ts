import { eq } from 'drizzle-orm';
import { invitations } from '@/drizzle/schema';
import { hashSecret } from '@/lib/auth/secret-hash';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { INVITATION_PAGE } from '@/lib/contract/invitations';
import type { Database, Statement } from '@/lib/db/database';
import type { MemberId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import { HOUR, type Millis } from '@/lib/units';

/** 72 hours, in milliseconds. */
const INVITATION_LIFETIME: Millis = 72 * HOUR;

/** Context needed to create an invitation. */
interface Inviting extends Pick<Context, 'now' | 'actor'> {
  services: Pick<Context['services'], 'database' | 'randomBytes'>;
  facts: Pick<Context['facts'], 'origin'>;
}

/**
 * Creates an invitation that replaces the member's earlier one. Returns its statement and its link; the link is not
 * stored.
 */
export function buildInvitation(
  { services, facts, now, actor }: Inviting,
  memberId: MemberId,
  lifetime: Millis = INVITATION_LIFETIME,
) {
  const { database, randomBytes } = services;
  const token = `sli_${Buffer.from(randomBytes(32)).toString('base64url')}`;
  const expiresAt = now + lifetime;
  const row = { tokenHash: hashSecret(token), createdAt: now, createdBy: actor.name, expiresAt };
  const statement: Statement = database.drizzle
    .insert(invitations)
    .values({ memberId, ...row })
    .onConflictDoUpdate({ target: invitations.memberId, set: row });
  const link = { url: `${facts.origin}${INVITATION_PAGE}#${token}`, expires_at: formatTimestamp(expiresAt) };
  return { statement, link, expiresAt };
}

/** Builds the statement that ends a member's open invitation, as part of a change. */
export function endInvitation({ drizzle }: Database, memberId: MemberId): Statement {
  return drizzle.delete(invitations).where(eq(invitations.memberId, memberId));
}
