import type { Check, CheckResult, EndpointClass } from '@/client/api';
import type { RejectedField } from '@/client/error';
import { pathOf } from '@/lib/enforcement/built-in-paths';
import { readingsOf } from '@/lib/enforcement/path-readings';
import { classOfMethod, isUsuallyAuth } from '@/lib/enforcement/usual-class';

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

const CLASSES: ReadonlySet<unknown> = new Set<EndpointClass>(['auth', 'sensitive', 'read', 'write', 'lab']);

/** A decision that no limit stands behind. */
export function unlimited(check: Check, more: Partial<CheckAnswer> & Pick<CheckAnswer, 'allowed'>): CheckAnswer {
  return { class: classOf(check), limit: null, remaining: null, reset: null, ...more };
}

/** The refusal of a check that the server cannot read, or that cannot be sent. */
export function unreadable(check: Check, error: 'invalid_request' | 'payload_too_large', description: string) {
  return unlimited(check, { allowed: false, error, error_description: description });
}

/** The class that a check names, or has without any route rule. */
export function classOf(check: Check): EndpointClass {
  if (isClass(check.class)) return check.class;
  const [method, path] = routeOf(check);
  return readingsOf(path).some(isUsuallyAuth) ? 'auth' : classOfMethod(method);
}

export function isClass(name: unknown): name is EndpointClass {
  return CLASSES.has(name);
}

/** Method and path of a check as the server reads them, whatever they are. */
export function routeOf({ method = '', path = '' }: Check): [method: string, path: string] {
  return [String(method).toUpperCase(), pathOf(String(path))];
}
