import { readStatistics } from '@/lib/admin/statistics/read';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readStatistics);
