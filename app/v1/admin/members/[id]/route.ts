import { removeMember } from '@/lib/admin/members/remove';
import { updateMember } from '@/lib/admin/members/update';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(updateMember, removeMember);
