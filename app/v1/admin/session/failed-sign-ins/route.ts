import { listFailedSignIns } from '@/lib/admin/session/list-failed-sign-ins';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listFailedSignIns);
