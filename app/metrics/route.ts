import { readMetrics } from '@/lib/admin/statistics/read-metrics';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readMetrics);
