import { change } from '@/lib/admin/change';
import { buildInvitation } from '@/lib/admin/members/new-invitation';
import { requirePresentMember } from '@/lib/admin/members/row';
import { createInvitation as contract } from '@/lib/contract/invitations';
import { implement } from '@/lib/operation/operation';

/** Creates a link with which a member sets a first or a new password. */
export const createInvitation = implement(contract, (context, { params }) =>
  change(context, async () => {
    const { id, email } = await requirePresentMember(context.services.database, params);
    const { statement, link } = buildInvitation(context, id);
    return {
      audit: { action: 'member.create_invitation', target: id, after: { email, expires_at: link.expires_at } },
      statements: [statement],
      result: link,
    };
  }),
);
