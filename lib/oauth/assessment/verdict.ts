/** Verdict of a control's rule on the observations of its probe. */
export type VerdictKind = 'passed' | 'failed' | 'not_applicable' | 'inconclusive';

/** A verdict, and the sentence that explains it. */
export interface ControlVerdict {
  kind: VerdictKind;
  reason: string;
  /** Severity of this failure, if it is less than that of the control. */
  severity?: 'critical' | 'high' | 'medium' | 'low' | 'info';
}

/** The target does what the control requires. */
export const createPassed = (reason: string): ControlVerdict => ({ kind: 'passed', reason });
/** The target does not do what the control requires. */
export const createFailed = (reason: string): ControlVerdict => ({ kind: 'failed', reason });
/** The target lacks a part of what the control requires, which matters less than the whole. */
export const createLesserFailure = (
  severity: NonNullable<ControlVerdict['severity']>,
  reason: string,
): ControlVerdict => ({
  kind: 'failed',
  reason,
  severity,
});
/** The target does not offer the feature that the control checks. */
export const createNotApplicable = (reason: string): ControlVerdict => ({ kind: 'not_applicable', reason });
/** The probe could not be carried out. This never counts as passed. */
export const createInconclusive = (reason: string): ControlVerdict => ({ kind: 'inconclusive', reason });
export const createVerdict = (holds: boolean, passedReason: string, failedReason: string): ControlVerdict =>
  holds ? createPassed(passedReason) : createFailed(failedReason);

/** Thrown by a probe that cannot continue. It carries the verdict, and the rule is skipped. */
export class CannotProbe extends Error {
  override readonly name = 'CannotProbe';

  constructor(
    readonly kind: 'not_applicable' | 'inconclusive',
    reason: string,
  ) {
    super(reason);
  }
}

/** Thrown if the connection of a request fails, in TLS or by a reset: a server may refuse a certificate so. */
export class ConnectionRefusal extends CannotProbe {}

/** Returns null for a probe that cannot continue. @throws every other error */
export function ignoreUndecided(error: unknown): null {
  if (error instanceof CannotProbe) return null;
  throw error;
}

/** Returns a value that a probe needs. @throws CannotProbe if it is missing */
export function requireValue<T>(
  value: T | null | undefined,
  reason: string,
  kind: CannotProbe['kind'] = 'inconclusive',
): T {
  if (value === null || value === undefined) throw new CannotProbe(kind, reason);
  return value;
}
