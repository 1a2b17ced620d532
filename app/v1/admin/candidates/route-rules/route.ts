import { getCandidateRules } from '@/lib/admin/candidates/rules/get';
import { removeCandidateRules } from '@/lib/admin/candidates/rules/remove';
import { setCandidateRules } from '@/lib/admin/candidates/rules/set';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  getCandidateRules,
  setCandidateRules,
  removeCandidateRules,
);
