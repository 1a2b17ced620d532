import type { KeptFindings } from '@/lib/contract/assessment-events';
import type { AssessmentReport } from '@/lib/contract/assessments';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { describeControl } from '@/lib/oauth/report/describe-control';
import { BASIC_OP } from '@/lib/oauth/report/profiles/basic-op';
import { type ObservedServer, readFacts } from '@/lib/oauth/report/profiles/facts';
import { FAPI } from '@/lib/oauth/report/profiles/fapi';
import type { Clause, Profile } from '@/lib/oauth/report/profiles/profile';
import { computeGrade } from '@/lib/oauth/report/summary';

export const PROFILES: readonly Profile[] = [FAPI, BASIC_OP];

type ProfileResult = AssessmentReport['profiles'][number];
type ClauseResult = ProfileResult['clauses'][number];
type Judged = Pick<KeptFindings[number], 'control' | 'verdict' | 'exchanges'>;

/** Judges a server by every profile. */
export function judgeProfiles(findings: readonly Judged[]): ProfileResult[] {
  const facts = readFacts(findings);
  const verdicts = new Map(findings.map(({ control, verdict }) => [control, verdict]));
  return PROFILES.map((profile) => judgeProfile(profile, verdicts, facts));
}

/**
 * Judges every clause of a profile and grades the result. A violated clause counts like a high cause, or like a critical
 * one if a critical control failed.
 */
function judgeProfile(
  { id, title, document, clauses }: Profile,
  verdicts: ReadonlyMap<string, VerdictKind>,
  facts: ObservedServer,
): ProfileResult {
  const judged = clauses.map((clause) => ({ clause, ...judgeClause(clause, verdicts, facts) }));
  const count = (state: ClauseResult['state']) => judged.filter((each) => each.state === state).length;
  const violated = judged.filter(({ state }) => state === 'violated');
  const isCritical = ({ clause }: (typeof judged)[number]) =>
    clause.controls.some((control) => verdicts.get(control) === 'failed' && isCriticalControl(control));
  return {
    ...{ id, title, document },
    grade: computeGrade({
      critical: violated.filter(isCritical).length,
      high: violated.length,
      medium: 0,
      decided: count('met') + violated.length,
      undecided: count('undecided'),
      isCriticalUndecided: judged.some(
        ({ clause, state }) => state === 'undecided' && clause.controls.some(isCriticalControl),
      ),
    }),
    ...{ met: count('met'), violated: violated.length },
    ...{ undecided: count('undecided'), not_judged: count('not judged') },
    clauses: judged.map(({ clause: { source, requirement, controls }, state, reason }) => ({
      ...{ source, requirement, state, reason, controls: [...controls] },
    })),
  };
}

const isCriticalControl = (control: string): boolean => describeControl(control).severity === 'critical';

/** Judges one clause. */
function judgeClause(
  { controls, isDemanded = false, observe, unjudged }: Clause,
  verdicts: ReadonlyMap<string, VerdictKind>,
  facts: ObservedServer,
): Pick<ClauseResult, 'state' | 'reason'> {
  if (unjudged !== undefined) return { state: 'not judged', reason: unjudged };
  if (observe !== undefined) return observe(facts);
  const listBy = (...kinds: (VerdictKind | undefined)[]) =>
    controls.filter((control) => kinds.includes(verdicts.get(control)));
  const failed = listBy('failed');
  if (failed.length > 0) return { state: 'violated', reason: `Failed: ${failed.join(', ')}.` };
  const foreign = listBy('not_applicable');
  if (isDemanded && foreign.length > 0) return { state: 'violated', reason: `Not offered: ${foreign.join(', ')}.` };
  const open = listBy('inconclusive', undefined);
  if (open.length > 0) return { state: 'undecided', reason: `Undecided: ${open.join(', ')}.` };
  return foreign.length === controls.length
    ? { state: 'not judged', reason: 'It does not apply to this server.' }
    : { state: 'met', reason: `Passed: ${listBy('passed').join(', ')}.` };
}
