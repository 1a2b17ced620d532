import { decisionRoute } from '@/lib/enforcement/decision-api/decision-route';
import { runtime } from '@/lib/process/runtime';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = decisionRoute(runtime);
