import { getQuota } from '@/lib/admin/keys/get-quota';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getQuota);
