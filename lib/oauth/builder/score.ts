import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import type { Severity } from '@/lib/oauth/controls/control';

/** How much a control counts, by its severity. Shown beside the score. */
export const WEIGHTS: Readonly<Record<Severity, number>> = { critical: 10, high: 6, medium: 3, low: 1, info: 1 };

interface Score {
  /** 0 to 100, rounded down: 100 when every control with a verdict passed. Null without verdicts. */
  percent: number | null;
  passedWeight: number;
  failedWeight: number;
  passed: number;
  failed: number;
  /** Neither: not applicable or inconclusive. They do not count. */
  untold: number;
}

/** The passed weight over the weight of all verdicts. */
export function scoreOf(verdicts: readonly { severity: Severity; kind: VerdictKind }[]): Score {
  const ofKind = (kind: VerdictKind) => verdicts.filter((verdict) => verdict.kind === kind);
  const weigh = (some: readonly { severity: Severity }[]) =>
    some.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0);
  const [passed, failed] = [ofKind('passed'), ofKind('failed')];
  const [passedWeight, failedWeight] = [weigh(passed), weigh(failed)];
  const all = passedWeight + failedWeight;
  const percent = all === 0 ? null : Math.floor((100 * passedWeight) / all);
  const untold = verdicts.length - passed.length - failed.length;
  return { percent, passedWeight, failedWeight, passed: passed.length, failed: failed.length, untold };
}
