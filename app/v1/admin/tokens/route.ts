import { createToken } from '@/lib/admin/operations/create-token';
import { listTokens } from '@/lib/admin/operations/list-tokens';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, listTokens, createToken);
