import { runHousekeeping } from '@/lib/admin/operations/run-housekeeping';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, runHousekeeping);
