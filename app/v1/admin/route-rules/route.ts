import { getRouteRules } from '@/lib/admin/operations/get-route-rules';
import { replaceRouteRules } from '@/lib/admin/operations/replace-route-rules';
import { endpoint } from '@/lib/http/endpoint';
import { runtime } from '@/lib/runtime';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = endpoint(runtime, getRouteRules, replaceRouteRules);
