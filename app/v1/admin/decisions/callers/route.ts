import { listCallers } from '@/lib/admin/decisions/list-callers';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listCallers);
