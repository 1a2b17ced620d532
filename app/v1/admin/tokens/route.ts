import { createToken } from '@/lib/admin/tokens/create';
import { listTokens } from '@/lib/admin/tokens/list';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, listTokens, createToken);
