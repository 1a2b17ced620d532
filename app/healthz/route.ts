import { guardRoute } from '@/lib/api/guard';
import { resourceHandlers } from '@/lib/http/methods';
import { liveness } from '@/lib/process/readiness';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = guardRoute(
  runtime,
  resourceHandlers({ GET: liveness }),
);
