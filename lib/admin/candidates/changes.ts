import type { ChangeKind, ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { buildDocumentReversal, type Restore } from '@/lib/admin/change-kind/document-reversal';
import { refuseUnless } from '@/lib/admin/change-kind/reversal';
import { StoredCandidatesSchema } from '@/lib/contract/fields/candidate';
import { CANDIDATE_RULES_SETTING, CANDIDATES_SETTING } from '@/lib/enforcement/rules-cache';

/** Restores only the candidate of one limit, so that changes of others stay. */
const restoreCandidate: Restore = async (_, { target, after }, before, present = []) => {
  const [old, stored] = [before, present].map((list) => StoredCandidatesSchema.parse(list));
  const left = StoredCandidatesSchema.parse(after === null ? [] : [after]);
  const findCandidateId = (list: typeof left | undefined) => list?.find(({ place }) => place === target)?.id;
  refuseUnless(findCandidateId(stored) === findCandidateId(left));
  const others = (stored ?? []).filter(({ place }) => place !== target);
  return [...others, ...(old ?? []).filter(({ place }) => place === target)];
};

const CANDIDATE: ChangeKind = {
  thing: 'candidate',
  reversal: buildDocumentReversal(CANDIDATES_SETTING, 'The candidate limits were restored.', restoreCandidate),
};

const CANDIDATE_RULES: ChangeKind = {
  thing: 'candidate rules',
  reversal: buildDocumentReversal(CANDIDATE_RULES_SETTING, 'The candidate route rules were restored.'),
};

export const CANDIDATE_CHANGES: ChangeKinds<'candidate' | 'candidate_rules'> = {
  'candidate.set': CANDIDATE,
  'candidate.replace': CANDIDATE,
  'candidate.remove': CANDIDATE,
  'candidate.promote': { ...CANDIDATE, second: ['policies.update', 'limit.update'] },
  'candidate_rules.set': CANDIDATE_RULES,
  'candidate_rules.replace': CANDIDATE_RULES,
  'candidate_rules.remove': CANDIDATE_RULES,
  'candidate_rules.promote': { ...CANDIDATE_RULES, second: ['route_rules.replace'] },
};
