import { changeMember } from '@/lib/admin/members/change-member';
import { updateMember as byId, updateNamedMember as bySelector } from '@/lib/contract/members';
import { implement } from '@/lib/operation/operation';

/** Changes the member in the path. */
export const updateMember = implement(byId, (context, { params, body }) => changeMember(context, params, body));

/** Changes the member that the body names. */
export const updateNamedMember = implement(bySelector, (context, { body: { id, email, ...patch } }) =>
  changeMember(context, { id, email }, patch),
);
