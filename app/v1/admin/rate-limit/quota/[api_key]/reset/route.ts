import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(resetQuota);
