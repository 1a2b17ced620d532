import { runBatch } from '@/lib/admin/batch/run';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(runBatch);
