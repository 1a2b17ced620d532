import { openInvitation } from '@/lib/admin/members/open-invitation';
import { findSecondFactor } from '@/lib/auth/second-factor/ask-second-factor';
import { formatTimestamp } from '@/lib/contract/fields/timestamp';
import { readInvitation as contract } from '@/lib/contract/invitations';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Shows an invitation to the holder of its link: the member, and whether a second factor is needed. */
export const readInvitation = implement(contract, async ({ services, now }, { body }) => {
  const open = await openInvitation(services.database, body.token, now);
  if (open === null) throw new ApiError('not_found', 'This link was used or replaced, or it has expired.');
  const { id, email, name, role, passwordHash } = open.member;
  const factor = await findSecondFactor(services.database, id);
  return {
    email,
    name,
    role,
    resets: passwordHash !== null,
    second_factor: factor !== null && factor.confirmedAt !== null,
    expires_at: formatTimestamp(open.expiresAt),
  };
});
