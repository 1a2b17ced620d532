import { createInvitation } from '@/lib/admin/members/create-invitation';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(createInvitation);
