import { resourceHandlers } from '@/lib/http/methods';
import { liveness } from '@/lib/process/readiness';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resourceHandlers({ GET: liveness });
