import { readOwnUsage } from '@/lib/admin/keys/read-own-usage';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readOwnUsage);
