import { promoteCandidateRules } from '@/lib/admin/candidates/rules/promote';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(promoteCandidateRules);
