/** What a control's rule says about what its probe saw. */
export type VerdictKind = 'passed' | 'failed' | 'not_applicable' | 'inconclusive';

/** A verdict and the sentence that says why. */
export interface ControlVerdict {
  kind: VerdictKind;
  reason: string;
}

/** The target does what the control asks. */
export const passed = (reason: string): ControlVerdict => ({ kind: 'passed', reason });
/** The target does not. */
export const failed = (reason: string): ControlVerdict => ({ kind: 'failed', reason });
/** The target does not offer what the control is about. */
export const notApplicable = (reason: string): ControlVerdict => ({ kind: 'not_applicable', reason });
/** The probe could not be carried out. Never counted as passed. */
export const inconclusive = (reason: string): ControlVerdict => ({ kind: 'inconclusive', reason });
export const passedIf = (holds: boolean, passedReason: string, failedReason: string): ControlVerdict =>
  holds ? passed(passedReason) : failed(failedReason);

/** Thrown by a probe that cannot continue; carries the verdict, so that the rule is not asked. */
export class CannotProbe extends Error {
  override readonly name = 'CannotProbe';

  constructor(
    readonly kind: 'not_applicable' | 'inconclusive',
    reason: string,
  ) {
    super(reason);
  }
}

/** What a probe cannot do without. @throws CannotProbe when it is missing */
export function required<T>(
  value: T | null | undefined,
  reason: string,
  kind: CannotProbe['kind'] = 'inconclusive',
): T {
  if (value === null || value === undefined) throw new CannotProbe(kind, reason);
  return value;
}
