import { listFailedSignIns } from '@/lib/admin/operations/list-failed-sign-ins';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, listFailedSignIns);
