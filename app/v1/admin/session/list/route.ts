import { endOtherSessions } from '@/lib/admin/members/end-sessions';
import { listOwnSessions } from '@/lib/admin/session/own-sessions';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listOwnSessions, endOtherSessions);
