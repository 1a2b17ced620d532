import { dryRunPolicies } from '@/lib/admin/limits/dry-run-policies';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(dryRunPolicies);
