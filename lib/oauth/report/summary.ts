import type { GRADES } from '@/lib/contract/assessment-events';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { Severity } from '@/lib/oauth/controls/control';
import { describeControl } from '@/lib/oauth/report/describe-control';

/** Result of an assessment. Undecided controls are counted separately, and never as passed. */
export interface Summary {
  passed: number;
  failed: number;
  not_applicable: number;
  inconclusive: number;
  grade: (typeof GRADES)[number] | null;
}

/** A control and its verdict. */
export interface Judged {
  control: string;
  verdict: VerdictKind;
}

export const NOTHING_JUDGED: Summary = { passed: 0, failed: 0, not_applicable: 0, inconclusive: 0, grade: null };

/**
 * Counts and grades findings. A failed critical control gives F. A failed high one gives C, and three give D. There is
 * no better grade if less than half was decided. A failed medium control, or an undecided critical one, gives at best
 * B. An accepted failure still counts.
 */
export function summarize(findings: readonly Judged[]): Summary {
  const count = (verdict: VerdictKind, severity?: Severity) =>
    findings.filter(
      (finding) =>
        finding.verdict === verdict &&
        (severity === undefined || describeControl(finding.control).severity === severity),
    ).length;
  const passed = count('passed');
  const failed = count('failed');
  const inconclusive = count('inconclusive');
  const grade = (): Summary['grade'] => {
    if (count('failed', 'critical') > 0) return 'F';
    const high = count('failed', 'high');
    if (high > 0) return high >= 3 ? 'D' : 'C';
    if (passed + failed === 0 || passed + failed < inconclusive) return null;
    return count('failed', 'medium') > 0 || count('inconclusive', 'critical') > 0 ? 'B' : 'A';
  };
  return { passed, failed, not_applicable: count('not_applicable'), inconclusive, grade: grade() };
}
