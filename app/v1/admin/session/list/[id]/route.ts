import { endOwnSession } from '@/lib/admin/session/own-sessions';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(endOwnSession);
