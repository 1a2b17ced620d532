import { changeOwnPassword } from '@/lib/admin/session/change-password';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(changeOwnPassword);
