import { createLabEndpoint } from '@/lib/admin/lab/lab-endpoint';
import { loadServices } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = createLabEndpoint(loadServices);
