import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { Severity } from '@/lib/oauth/controls/control';
import type { Summary } from '@/lib/oauth/report/summary';

/** Weight of a control, by severity. The page shows it next to the score. */
export const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 10, high: 6, medium: 3, low: 1, info: 1 };

/** Maximum score for each grade, so that the score never contradicts the grade. */
export const CAPS: Readonly<Record<NonNullable<Summary['grade']>, number>> = { A: 100, B: 89, C: 79, D: 64, F: 49 };

interface Score {
  /** 0 to 100, rounded down. 100 if every control with a verdict passed. Null without verdicts. */
  percent: number | null;
  passedWeight: number;
  failedWeight: number;
  passed: number;
  failed: number;
  /** Controls that neither passed nor failed. They do not count. */
  undecided: number;
  notApplicable: number;
}

/** Divides the passed weight by the weight of all verdicts. The grade of the report limits the result. */
export function computeScore(
  verdicts: readonly { severity: Severity; kind: VerdictKind }[],
  grade: Summary['grade'] = null,
): Score {
  const selectKind = (kind: VerdictKind) => verdicts.filter((verdict) => verdict.kind === kind);
  const weigh = (some: readonly { severity: Severity }[]) =>
    some.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0);
  const [passed, failed] = [selectKind('passed'), selectKind('failed')];
  const [passedWeight, failedWeight] = [weigh(passed), weigh(failed)];
  const all = passedWeight + failedWeight;
  const share = all === 0 ? null : Math.floor((100 * passedWeight) / all);
  const percent = share === null ? null : Math.min(share, grade === null ? 100 : CAPS[grade]);
  const [undecided, notApplicable] = [selectKind('inconclusive').length, selectKind('not_applicable').length];
  return {
    ...{ percent, passedWeight, failedWeight, passed: passed.length, failed: failed.length },
    ...{ undecided, notApplicable },
  };
}
