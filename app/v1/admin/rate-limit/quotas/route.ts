import { listQuotas } from '@/lib/admin/keys/list-quotas';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listQuotas);
