import { changeMember } from '@/lib/admin/members/change-member';
import { MemberPatch, MemberPatchBySelector, MemberPath, MemberSchema } from '@/lib/contract/members';
import { operation } from '@/lib/operation/operation';

const shared = {
  method: 'PATCH',
  tag: 'Members',
  summary: 'Change a member',
  access: 'owner',
  response: { status: 200, description: 'The member as it is now.', schema: MemberSchema },
  errors: ['not_found', 'conflict'],
} as const;

const DESCRIPTION =
  "What is absent stays. A role counts from the member's next request on; a new password, or unbinding provider accounts, ends the member's other sessions. The last owner keeps the role.";

/** Changes the member in the path. */
export const updateMember = operation({
  ...shared,
  id: 'updateMember',
  path: '/v1/admin/members/{id}',
  description: DESCRIPTION,
  params: MemberPath,
  body: { schema: MemberPatch, required: true },
  run: (context, { params, body }) => changeMember(context, params, body),
});

/** Changes the member that the body names. */
export const updateNamedMember = operation({
  ...shared,
  id: 'updateNamedMember',
  path: '/v1/admin/members',
  description: `The body names the member by \`id\` or \`email\`. ${DESCRIPTION}`,
  body: { schema: MemberPatchBySelector, required: true },
  run: (context, { body: { id, email, ...patch } }) => changeMember(context, { id, email }, patch),
});
