import { listAlerts } from '@/lib/admin/alerts/list';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listAlerts);
