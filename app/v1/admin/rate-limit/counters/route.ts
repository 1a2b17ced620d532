import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(inspectCounters);
