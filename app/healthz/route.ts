import { resourceHandlers } from '@/lib/http/handlers';
import { liveness } from '@/lib/process/health/readiness';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = resourceHandlers({ GET: liveness });
