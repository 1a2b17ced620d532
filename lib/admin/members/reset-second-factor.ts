import { change } from '@/lib/admin/change';
import { requirePresentMember } from '@/lib/admin/members/row';
import { findSecondFactor } from '@/lib/auth/second-factor/ask-second-factor';
import { dropSecondFactor } from '@/lib/auth/second-factor/rows';
import { deleteSessions } from '@/lib/auth/session';
import { resetSecondFactor as contract } from '@/lib/contract/second-factor';
import { ApiError } from '@/lib/http/api-error';
import { implement } from '@/lib/operation/operation';

/** Removes the second factor of a member who lost it. Members need a code to remove their own. */
export const resetSecondFactor = implement(contract, async (context, { params }) => {
  const { database } = context.services;
  const isOwn = context.actor.id === `member:${params.id}`;
  if (isOwn) throw new ApiError('conflict', 'Turn off your own second factor with your password and a code.');
  return change(context, async () => {
    const { id, email } = await requirePresentMember(database, params);
    const factor = await findSecondFactor(database, id);
    if (factor?.confirmedAt == null) throw new ApiError('not_found', 'This member has no second factor.');
    return {
      audit: { action: 'member.reset_second_factor', target: id, before: { email, second_factor: true } },
      statements: [...dropSecondFactor(database, id), deleteSessions(database, id, null)],
    };
  });
});
