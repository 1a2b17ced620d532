import { getPolicies } from '@/lib/admin/limits/get-policies';
import { patchPolicies } from '@/lib/admin/limits/patch-policies';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getPolicies, patchPolicies);
