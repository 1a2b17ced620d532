import { inviteMember } from '@/lib/admin/operations/invite-member';
import { listMembers } from '@/lib/admin/operations/list-members';
import { removeNamedMember } from '@/lib/admin/operations/remove-member';
import { updateNamedMember } from '@/lib/admin/operations/update-member';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(
  runtime,
  listMembers,
  inviteMember,
  updateNamedMember,
  removeNamedMember,
);
