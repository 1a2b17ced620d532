import { promoteCandidate } from '@/lib/admin/candidates/promote';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(promoteCandidate);
