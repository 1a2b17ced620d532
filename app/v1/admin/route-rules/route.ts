import { getRouteRules } from '@/lib/admin/limits/get-route-rules';
import { replaceRouteRules } from '@/lib/admin/limits/replace-route-rules';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getRouteRules, replaceRouteRules);
