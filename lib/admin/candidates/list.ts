import { buildCandidateLimit } from '@/lib/admin/candidates/candidate-counts';
import { storedCandidates } from '@/lib/admin/candidates/stored';
import { effectivePolicies, storedPatch } from '@/lib/admin/policies/in-force';
import { listCandidates as contract } from '@/lib/contract/candidates';
import { implement } from '@/lib/operation/operation';

export const listCandidates = implement(contract, async ({ services, now }) => {
  const policies = effectivePolicies(services, await storedPatch(services));
  const stored = await storedCandidates(services.database, now);
  return Promise.all(stored.map((candidate) => buildCandidateLimit(services.database, candidate, policies)));
});
