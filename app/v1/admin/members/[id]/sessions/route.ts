import { endMemberSessions } from '@/lib/admin/members/end-sessions';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(endMemberSessions);
