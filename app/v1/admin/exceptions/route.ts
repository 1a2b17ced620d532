import { listExceptions } from '@/lib/admin/exceptions/list';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listExceptions);
