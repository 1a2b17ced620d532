import { getRouteRules } from '@/lib/admin/limits/get-route-rules';
import { replaceRouteRules } from '@/lib/admin/limits/replace-route-rules';
import { endpoint } from '@/lib/operation/endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, getRouteRules, replaceRouteRules);
