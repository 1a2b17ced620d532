import { listAudit } from '@/lib/admin/audit-log/list';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listAudit);
