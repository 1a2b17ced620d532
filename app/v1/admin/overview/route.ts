import { readOverview } from '@/lib/admin/statistics/read-overview';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readOverview);
