import { auditLab } from '@/lib/admin/lab/assess-lab';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(auditLab);
