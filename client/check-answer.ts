import type { Check, CheckResult, EndpointClass } from '@/client/api';
import type { RejectedField } from '@/client/error';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { listReadings } from '@/lib/enforcement/path-readings';
import { classifyMethod, isUsuallyAuth } from '@/lib/enforcement/usual-class';

/** Answer of `check`: the API's `CheckResult`, with additions of the client. */
export interface CheckAnswer extends Omit<CheckResult, 'status' | 'error'> {
  /**
   * `unreachable`: no server decided, see `onUnreachable`. `remembered`: an earlier refusal still applies, see
   * `rememberRefusals`.
   */
  status?: CheckResult['status'] | 'unreachable' | 'remembered';
  /** `invalid_request`, `payload_too_large`: the server cannot read the check, see `details`. */
  error?: CheckResult['error'] | 'invalid_request' | 'payload_too_large';
  details?: readonly RejectedField[];
}

const CLASSES: ReadonlySet<unknown> = new Set<EndpointClass>(['auth', 'sensitive', 'read', 'write', 'lab']);

/** Builds an answer that no limit decided. */
export function answerUnlimited(check: Check, more: Partial<CheckAnswer> & Pick<CheckAnswer, 'allowed'>): CheckAnswer {
  return { class: isByLimitsOnly(check) ? null : readClass(check), limit: null, remaining: null, reset: null, ...more };
}

/** Builds the refusal of a check that the server cannot read, or that cannot be sent. */
export function refuseUnreadable(check: Check, error: 'invalid_request' | 'payload_too_large', description: string) {
  return answerUnlimited(check, { allowed: false, error, error_description: description });
}

/** Returns the class that a check names, or its default class. */
export function readClass(check: Check): EndpointClass {
  if (isClass(check.class)) return check.class;
  const [method, path] = readRoute(check);
  return listReadings(path).some(isUsuallyAuth) ? 'auth' : classifyMethod(method);
}

/** True if only named limits decide a check. */
export function isByLimitsOnly({ limits, class: name, method, path }: Check): boolean {
  return limits !== undefined && name === undefined && method === undefined && path === undefined;
}

export function isClass(name: unknown): name is EndpointClass {
  return CLASSES.has(name);
}

/** Normalises the method and path of a check as the server does. Accepts any type. */
export function readRoute({ method = '', path = '' }: Check): [method: string, path: string] {
  return [String(method).toUpperCase(), parsePath(String(path))];
}
