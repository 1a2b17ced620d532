import { auditServer } from '@/lib/admin/lab/assess-server';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(auditServer);
