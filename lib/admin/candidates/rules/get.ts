import { readCandidateCounts } from '@/lib/admin/candidates/candidate-counts';
import { readStoredCandidateRules } from '@/lib/admin/candidates/stored';
import { getCandidateRules as contract } from '@/lib/contract/candidates';
import { implement } from '@/lib/operation/operation';

export const getCandidateRules = implement(contract, async ({ services: { database }, now }) => {
  const stored = await readStoredCandidateRules(database, now);
  return stored === null ? null : { ...stored, ...(await readCandidateCounts(database, stored.id)) };
});
