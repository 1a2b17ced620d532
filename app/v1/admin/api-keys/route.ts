import { createApiKey } from '@/lib/admin/keys/create';
import { listApiKeys } from '@/lib/admin/keys/list';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, listApiKeys, createApiKey);
