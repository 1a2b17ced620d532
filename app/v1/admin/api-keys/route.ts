import { createApiKey } from '@/lib/admin/operations/create-api-key';
import { listApiKeys } from '@/lib/admin/operations/list-api-keys';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, listApiKeys, createApiKey);
