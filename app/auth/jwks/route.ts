import { labEndpoint } from '@/lib/oauth/lab/mount';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = labEndpoint(runtime);
