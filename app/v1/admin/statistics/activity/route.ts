import { readActivity } from '@/lib/admin/statistics/read-activity';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readActivity);
