import { dryRunPolicies } from '@/lib/admin/operations/dry-run-policies';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, dryRunPolicies);
