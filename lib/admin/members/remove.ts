import { dropMember } from '@/lib/admin/members/drop';
import { MemberPath, MemberSelector } from '@/lib/contract/members';
import { operation } from '@/lib/operation/operation';

const shared = {
  method: 'DELETE',
  tag: 'Members',
  summary: 'Remove a member',
  access: 'owner',
  response: { status: 204, description: 'The member is removed.' },
  errors: ['not_found', 'conflict'],
} as const;

const DESCRIPTION = "The member's sessions end at once. The last owner cannot be removed.";

/** Removes the member in the path. */
export const removeMember = operation({
  ...shared,
  id: 'removeMember',
  path: '/v1/admin/members/{id}',
  description: DESCRIPTION,
  params: MemberPath,
  run: (context, { params }) => dropMember(context, params),
});

/** Removes the member that the body names. */
export const removeNamedMember = operation({
  ...shared,
  id: 'removeNamedMember',
  path: '/v1/admin/members',
  description: `The body names the member by \`id\` or \`email\`. ${DESCRIPTION}`,
  body: { schema: MemberSelector, required: true },
  run: (context, { body }) => dropMember(context, body),
});
