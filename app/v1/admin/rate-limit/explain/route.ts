import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(explainDecision);
