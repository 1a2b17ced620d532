import { readKeyOrigins } from '@/lib/admin/statistics/read-key-origins';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readKeyOrigins);
