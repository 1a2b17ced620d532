import { labEndpoint } from '@/lib/admin/lab/lab-endpoint';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = labEndpoint(runtime);
