import { inviteMember } from '@/lib/admin/members/invite';
import { listMembers } from '@/lib/admin/members/list';
import { removeNamedMember } from '@/lib/admin/members/remove';
import { updateNamedMember } from '@/lib/admin/members/update';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(
  runtime,
  listMembers,
  inviteMember,
  updateNamedMember,
  removeNamedMember,
);
