import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(verifyAuditLog);
