import { endpoint } from '@/lib/http/endpoint';
import { readOpenApi } from '@/lib/openapi/read-openapi';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, readOpenApi);
