import { readKeyStatistics } from '@/lib/admin/statistics/read-key';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readKeyStatistics);
