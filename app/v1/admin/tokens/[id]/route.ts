import { revokeToken } from '@/lib/admin/tokens/revoke';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(revokeToken);
