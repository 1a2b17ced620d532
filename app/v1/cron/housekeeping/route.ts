import { runHousekeeping } from '@/lib/admin/service/run-housekeeping';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(runHousekeeping);
