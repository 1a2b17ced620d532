import { endpoint } from '@/lib/http/endpoint';
import { auditServer } from '@/lib/oauth/operations/audit-server';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, auditServer);
