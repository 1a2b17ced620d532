import { readInvitation } from '@/lib/admin/members/read-invitation';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readInvitation);
