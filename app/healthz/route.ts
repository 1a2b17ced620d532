import { getOnly } from '@/lib/health/get-only';
import { liveness } from '@/lib/health/readiness';

export const dynamic = 'force-dynamic';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = getOnly(liveness);
