import { planState } from '@/lib/admin/state/plan';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(planState);
