import { listDecisions } from '@/lib/admin/decisions/list';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listDecisions);
