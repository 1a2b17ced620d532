import { changeTier } from '@/lib/admin/keys/change-tier';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, changeTier);
