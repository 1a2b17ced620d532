import { removeMember } from '@/lib/admin/members/remove';
import { updateMember } from '@/lib/admin/members/update';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, updateMember, removeMember);
