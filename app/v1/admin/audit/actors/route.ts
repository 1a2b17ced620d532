import { listAuditActors } from '@/lib/admin/audit-log/list-actors';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listAuditActors);
