import { revokeToken } from '@/lib/admin/tokens/revoke';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, revokeToken);
