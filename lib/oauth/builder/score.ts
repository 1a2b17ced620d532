import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { Severity } from '@/lib/oauth/controls/control';
import type { Summary } from '@/lib/oauth/report/summary';

/** How much a control counts, by its severity. Shown beside the score. */
export const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 10, high: 6, medium: 3, low: 1, info: 1 };

/** The most that each grade allows, so that a score never flatters. */
export const CAPS: Readonly<Record<NonNullable<Summary['grade']>, number>> = { A: 100, B: 89, C: 79, D: 64, F: 49 };

interface Score {
  /** 0 to 100, rounded down: 100 when every control with a verdict passed. Null without verdicts. */
  percent: number | null;
  passedWeight: number;
  failedWeight: number;
  passed: number;
  failed: number;
  /** Neither passed nor failed: these do not count. */
  undecided: number;
  notApplicable: number;
}

/** The passed weight over the weight of all verdicts, at most what the grade of the report allows. */
export function scoreOf(
  verdicts: readonly { severity: Severity; kind: VerdictKind }[],
  grade: Summary['grade'] = null,
): Score {
  const ofKind = (kind: VerdictKind) => verdicts.filter((verdict) => verdict.kind === kind);
  const weigh = (some: readonly { severity: Severity }[]) =>
    some.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0);
  const [passed, failed] = [ofKind('passed'), ofKind('failed')];
  const [passedWeight, failedWeight] = [weigh(passed), weigh(failed)];
  const all = passedWeight + failedWeight;
  const share = all === 0 ? null : Math.floor((100 * passedWeight) / all);
  const percent = share === null ? null : Math.min(share, grade === null ? 100 : CAPS[grade]);
  const [undecided, notApplicable] = [ofKind('inconclusive').length, ofKind('not_applicable').length];
  return {
    ...{ percent, passedWeight, failedWeight, passed: passed.length, failed: failed.length },
    ...{ undecided, notApplicable },
  };
}
