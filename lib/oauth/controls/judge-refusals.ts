import type { Comparison } from '@/lib/oauth/assessment/comparison';
import {
  type ControlVerdict,
  createFailed,
  createInconclusive,
  createLesserFailure,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import type { Severity } from '@/lib/oauth/controls/control';

/** Requests that must be refused, by label, each compared with the valid request. */
export type Comparisons = ReadonlyMap<string, Comparison>;

/** A fault that is less severe if the server has no other. */
export interface LesserFault {
  label: string;
  severity: Severity;
  /** Words the verdict. @param reason that of any other fault */
  describe?: (reason: string) => string;
}

export const listLabels = (comparisons: Comparisons, kind: Comparison['kind']): string[] =>
  [...comparisons].flatMap(([label, comparison]) => (comparison.kind === kind ? [label] : []));

/** Judges comparisons: failed if a request was accepted, passed if each was refused, otherwise undecided. */
export function judgeRefusals(comparisons: Comparisons, lesser?: LesserFault): ControlVerdict {
  const accepted = listLabels(comparisons, 'accepted');
  const reason = `The server accepted: ${accepted.join(', ')}.`;
  if (lesser !== undefined && accepted.join() === lesser.label)
    return createLesserFailure(lesser.severity, lesser.describe?.(reason) ?? reason);
  if (accepted.length > 0) return createFailed(reason);
  for (const [label, comparison] of comparisons) {
    if (comparison.kind === 'undecided') return createInconclusive(`Undecided for ${label}: ${comparison.why}.`);
  }
  const refused = listLabels(comparisons, 'refused');
  return refused.length === 0
    ? createInconclusive('Nothing was tried.')
    : createPassed(`The server refused: ${refused.join(', ')}.`);
}
