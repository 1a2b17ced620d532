import { getApiKey } from '@/lib/admin/keys/get';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { updateApiKey } from '@/lib/admin/keys/update';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getApiKey, updateApiKey, revokeApiKey);
