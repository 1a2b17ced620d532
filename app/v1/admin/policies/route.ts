import { getPolicies } from '@/lib/admin/operations/get-policies';
import { patchPolicies } from '@/lib/admin/operations/patch-policies';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, getPolicies, patchPolicies);
