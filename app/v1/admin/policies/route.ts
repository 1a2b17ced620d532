import { getPolicies } from '@/lib/admin/limits/get-policies';
import { patchPolicies } from '@/lib/admin/limits/patch-policies';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, getPolicies, patchPolicies);
