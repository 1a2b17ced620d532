import { readFirstSteps } from '@/lib/admin/first-hour/read-first-steps';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(readFirstSteps);
