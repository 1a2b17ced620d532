import { inviteMember } from '@/lib/admin/members/invite';
import { listMembers } from '@/lib/admin/members/list';
import { removeNamedMember } from '@/lib/admin/members/remove';
import { updateNamedMember } from '@/lib/admin/members/update';
import { route } from '@/lib/process/route';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  listMembers,
  inviteMember,
  updateNamedMember,
  removeNamedMember,
);
