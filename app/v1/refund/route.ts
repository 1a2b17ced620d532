import { decisionRoute } from '@/lib/enforcement/decision-api/answer-decision-call';
import { runtime } from '@/lib/process/runtime';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = decisionRoute(runtime);
