import type { AssessmentReport } from '@/lib/contract/assessment-report';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { describeControl } from '@/lib/oauth/report/describe-control';
import { BASIC_OP } from '@/lib/oauth/report/profiles/basic-op';
import { FAPI } from '@/lib/oauth/report/profiles/fapi';
import { type ObservedFinding, type ObservedServer, observeServer } from '@/lib/oauth/report/profiles/observed-server';
import type { Clause, Profile } from '@/lib/oauth/report/profiles/profile';
import { computeGrade } from '@/lib/oauth/report/summary';

export const PROFILES: readonly Profile[] = [FAPI, BASIC_OP];

type ProfileResult = AssessmentReport['profiles'][number];
type ClauseResult = ProfileResult['clauses'][number];

/** Judges a server by every profile. */
export function judgeProfiles(findings: readonly ObservedFinding[]): ProfileResult[] {
  const server = observeServer(findings);
  return PROFILES.map((profile) => judgeProfile(profile, server));
}

/**
 * Judges every clause of a profile and grades the result. A violated clause counts like a high cause, or like a critical
 * one if a critical control failed.
 */
function judgeProfile({ id, title, document, clauses }: Profile, server: ObservedServer): ProfileResult {
  const { findings } = server;
  const judged = clauses.map((clause) => ({ clause, ...judgeClause(clause, server) }));
  const count = (state: ClauseResult['state']) => judged.filter((each) => each.state === state).length;
  const violated = judged.filter(({ state }) => state === 'violated');
  const hasCritical = ({ controls }: Clause, verdict: VerdictKind) =>
    controls.some((control) => {
      const finding = findings.get(control);
      return finding?.verdict === verdict && readSeverity(finding) === 'critical';
    });
  return {
    ...{ id, title, document },
    grade: computeGrade({
      critical: violated.filter(({ clause }) => hasCritical(clause, 'failed')).length,
      high: violated.length,
      medium: 0,
      decided: count('met') + violated.length,
      undecided: count('undecided'),
      isCriticalUndecided: judged.some(({ clause }) => hasCritical(clause, 'inconclusive')),
    }),
    ...{ met: count('met'), violated: violated.length },
    ...{ undecided: count('undecided'), not_judged: count('not judged') },
    clauses: judged.map(({ clause: { source, requirement, controls }, state, reason }) => ({
      ...{ source, requirement, state, reason, controls: [...controls] },
    })),
  };
}

/** Returns the severity of this failure, or else of the control. */
const readSeverity = ({ control, severity = describeControl(control).severity }: ObservedFinding) => severity;

/** Judges one clause. */
function judgeClause(
  { controls, observe, unjudged }: Clause,
  server: ObservedServer,
): Pick<ClauseResult, 'state' | 'reason'> {
  if (unjudged !== undefined) return { state: 'not judged', reason: unjudged };
  if (observe !== undefined) return observe(server);
  const listControlsByVerdict = (...kinds: (VerdictKind | undefined)[]) =>
    controls.filter((control) => kinds.includes(server.findings.get(control)?.verdict));
  const failed = listControlsByVerdict('failed');
  if (failed.length > 0) return { state: 'violated', reason: `Failed: ${failed.join(', ')}.` };
  const open = listControlsByVerdict('inconclusive', undefined);
  if (open.length > 0) return { state: 'undecided', reason: `Undecided: ${open.join(', ')}.` };
  return listControlsByVerdict('not_applicable').length === controls.length
    ? { state: 'not judged', reason: 'It does not apply to this server.' }
    : { state: 'met', reason: `Passed: ${listControlsByVerdict('passed').join(', ')}.` };
}
