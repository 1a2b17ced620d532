import { endpoint } from '@/lib/http/endpoint';
import { auditLab } from '@/lib/oauth/operations/audit-lab';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, auditLab);
