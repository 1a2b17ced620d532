import { buildCandidateLimit, readLiveLimits } from '@/lib/admin/candidates/candidate-counts';
import { readStoredCandidates } from '@/lib/admin/candidates/stored';
import { listCandidates as contract } from '@/lib/contract/candidates';
import { implement } from '@/lib/operation/operation';

export const listCandidates = implement(contract, async ({ services, now }) => {
  const live = await readLiveLimits(services);
  const stored = await readStoredCandidates(services.database, now);
  return Promise.all(stored.map((candidate) => buildCandidateLimit(services.database, candidate, live)));
});
