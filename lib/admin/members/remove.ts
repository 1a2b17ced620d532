import { dropMember } from '@/lib/admin/members/drop';
import { removeMember as byId, removeNamedMember as bySelector } from '@/lib/contract/members';
import { implement } from '@/lib/operation/operation';

/** Removes the member in the path. */
export const removeMember = implement(byId, (context, { params }) => dropMember(context, params));

/** Removes the member that the body names. */
export const removeNamedMember = implement(bySelector, (context, { body }) => dropMember(context, body));
