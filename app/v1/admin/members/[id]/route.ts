import { removeMember } from '@/lib/admin/operations/remove-member';
import { updateMember } from '@/lib/admin/operations/update-member';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, updateMember, removeMember);
