import { change } from '@/lib/admin/change';
import { newInvitation } from '@/lib/admin/members/new-invitation';
import { presentMember } from '@/lib/admin/members/row';
import { createInvitation as contract } from '@/lib/contract/invitations';
import { implement } from '@/lib/operation/operation';

/** A link by which a member sets a password, the first one or a new one. */
export const createInvitation = implement(contract, (context, { params }) =>
  change(context, async () => {
    const { id, email } = await presentMember(context.services.database, params);
    const { statement, link } = newInvitation(context, id);
    return {
      audit: { action: 'member.create_invitation', target: id, after: { email, expires_at: link.expires_at } },
      statements: [statement],
      result: link,
    };
  }),
);
