import { listCandidates } from '@/lib/admin/candidates/list';
import { removeCandidate } from '@/lib/admin/candidates/remove';
import { setCandidate } from '@/lib/admin/candidates/set';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(listCandidates, setCandidate, removeCandidate);
