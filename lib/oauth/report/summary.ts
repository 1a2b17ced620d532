import type { GRADES } from '@/lib/contract/assessment-events';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { Severity } from '@/lib/oauth/controls/control';
import { findCauses, type Judged } from '@/lib/oauth/report/causes';
import { describeControl } from '@/lib/oauth/report/describe-control';

/** Result of an assessment. Undecided controls are counted separately, and never as passed. */
export interface Summary {
  passed: number;
  failed: number;
  not_applicable: number;
  inconclusive: number;
  grade: (typeof GRADES)[number] | null;
}

export const NOTHING_JUDGED: Summary = { passed: 0, failed: 0, not_applicable: 0, inconclusive: 0, grade: null };

/**
 * Counts and grades findings. The grade counts causes: controls that fail for one defect count once, by the worst of
 * them. A critical cause gives F. A high one gives C, and three give D. There is no better grade if less than half was
 * decided. A medium cause, or an undecided critical control, gives at best B. An accepted failure still counts.
 */
export function summarize(findings: readonly Judged[]): Summary {
  const count = (verdict: VerdictKind) => findings.filter((finding) => finding.verdict === verdict).length;
  const causes = findCauses(findings);
  const countCauses = (severity: Severity) => causes.filter((cause) => cause.severity === severity).length;
  const passed = count('passed');
  const failed = count('failed');
  const inconclusive = count('inconclusive');
  const grade = computeGrade({
    critical: countCauses('critical'),
    high: countCauses('high'),
    medium: countCauses('medium'),
    decided: passed + failed,
    undecided: inconclusive,
    isCriticalUndecided: findings.some(
      ({ control, verdict }) => verdict === 'inconclusive' && describeControl(control).severity === 'critical',
    ),
  });
  return { passed, failed, not_applicable: count('not_applicable'), inconclusive, grade };
}

/** Counts that decide a grade. */
interface Counted {
  critical: number;
  high: number;
  medium: number;
  decided: number;
  undecided: number;
  isCriticalUndecided: boolean;
}

/** Grades an assessment, or one profile of it, by the rules of `summarize`. */
export function computeGrade({
  critical,
  high,
  medium,
  decided,
  undecided,
  isCriticalUndecided,
}: Counted): Summary['grade'] {
  if (critical > 0) return 'F';
  if (high > 0) return high >= 3 ? 'D' : 'C';
  if (decided === 0 || decided < undecided) return null;
  return medium > 0 || isCriticalUndecided ? 'B' : 'A';
}
