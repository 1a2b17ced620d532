import type { Check, CheckResult, EndpointClass } from '@/client/api';
import type { RejectedField } from '@/client/error';

/** What `check` answers: the API's `CheckResult`, and what only the client can say. */
export interface CheckAnswer extends Omit<CheckResult, 'status' | 'error'> {
  /**
   * `unreachable`: no server decided it, see `onUnreachable`. `remembered`: an earlier refusal still holds, see
   * `rememberRefusals`.
   */
  status?: CheckResult['status'] | 'unreachable' | 'remembered';
  /** `invalid_request`, `payload_too_large`: the server cannot read the check, see `details`. */
  error?: CheckResult['error'] | 'invalid_request' | 'payload_too_large';
  details?: readonly RejectedField[];
}

const CLASSES: ReadonlySet<string> = new Set<EndpointClass>(['auth', 'sensitive', 'read', 'write', 'lab']);

/** A decision that no limit stands behind. */
export function unlimited(check: Check, more: Partial<CheckAnswer> & Pick<CheckAnswer, 'allowed'>): CheckAnswer {
  return { class: classOf(check), limit: null, remaining: null, reset: null, ...more };
}

/** The refusal of a check that the server cannot read, or that cannot be sent. */
export function unreadable(check: Check, error: 'invalid_request' | 'payload_too_large', description: string) {
  return unlimited(check, { allowed: false, error, error_description: description });
}

/** The class that a check names, or has without any route rule. */
export function classOf({ class: named, method = '', path = '' }: Check): EndpointClass {
  if (named !== undefined && CLASSES.has(named)) return named;
  if (/^\/auth\//.test(path)) return 'auth';
  return /^(get|head)$/i.test(method) ? 'read' : 'write';
}
