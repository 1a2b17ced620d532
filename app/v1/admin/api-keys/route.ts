import { createApiKey } from '@/lib/admin/keys/create';
import { listApiKeys } from '@/lib/admin/keys/list';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listApiKeys, createApiKey);
