import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(resetCounters);
