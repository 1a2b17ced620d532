import { labEndpoint } from '@/lib/admin/lab/lab-endpoint';
import { runtime } from '@/lib/process/runtime';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = labEndpoint(runtime);
