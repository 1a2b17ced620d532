import { type Controls, isControlSwitch, listDisabledControls, type RefusingControl } from '@/lib/oauth/lab/controls';

/** Error codes of RFC 6749 (4.1.2.1, 5.2), 6750 (3.1), 8707 (2), 9126, 9449 (12), 8628 (3.5) and OpenID Connect Core (3.1.2.6). */
const STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  invalid_request_uri: 400,
  invalid_request_object: 400,
  consent_required: 400,
  invalid_dpop_proof: 400,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  method_not_allowed: 405,
  payload_too_large: 413,
  not_found: 404,
};
type OAuthErrorCode = keyof typeof STATUS;

/** One fault of a request, and the control that detects it. */
export interface Violation {
  /** Null if no control of the catalogue applies. Such a request is always refused. */
  control: RefusingControl | null;
  error: OAuthErrorCode;
  /** A sentence for the developer. It never quotes the request. */
  description: string;
}

/** All violations of one request, in the order of detection, with the controls of that request. */
export class Violations {
  readonly all: Violation[] = [];

  constructor(readonly controls: Controls) {}

  note(control: Violation['control'], description: string, error: OAuthErrorCode = 'invalid_request'): void {
    this.all.push({ control, error, description });
  }

  /** Violations that refuse the request. A control without a switch is always on. */
  get refusing(): Violation[] {
    return this.all.filter((violation) => !this.#isWaived(violation));
  }

  /** Violations that would refuse the request if their controls were on. */
  get waivedViolations(): Violation[] {
    return this.all.filter((violation) => this.#isWaived(violation));
  }

  #isWaived({ control }: Violation): boolean {
    return control !== null && isControlSwitch(control) && !this.controls[control];
  }
}

/** Returns the ids of the controls behind the violations, without duplicates, in order of appearance. */
export function listControls(violations: readonly Violation[]): RefusingControl[] {
  return [...new Set(violations.flatMap(({ control }) => control ?? []))];
}

/** Header that names the controls that would have refused the request if they were on. */
export const WAIVED_HEADER = 'Sluice-Lab-Waived';
/** Header that names the controls that were off for the request. */
const OFF_HEADER = 'Sluice-Lab-Off';

/** Builds a JSON answer of the lab. Answers are never cached unless a header allows it. */
export function answerJson(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': 'application/json; charset=utf-8',
      ...headers,
    },
  });
}

export const findStatus = ({ error }: Violation): number => STATUS[error];

/**
 * Refuses a request. The first violation becomes the error (RFC 6749 section 5.2). `blocked_by` names the controls
 * behind all violations.
 * @param violations at least one
 * @param members further members of the body
 * @param status overrides the status of the error
 */
export function refuse(
  violations: readonly Violation[],
  headers: Record<string, string> = {},
  members: Record<string, unknown> = {},
  status?: number,
): Response {
  const [first] = violations;
  if (first === undefined) throw new TypeError('A refusal needs a violation.');
  const { error, description: error_description } = first;
  const challenge = error === 'invalid_client' && { 'WWW-Authenticate': 'Basic realm="sluice-lab"' };
  const body = { error, error_description, blocked_by: listControls(violations), ...members };
  return answerJson(status ?? findStatus(first), body, { ...challenge, ...headers });
}

/** Adds headers that name the controls that were off, and those that would have refused the request. */
export function markWeakened(response: Response, { controls, waivedViolations }: Violations): Response {
  const off = listDisabledControls(controls);
  if (off.length > 0 && !response.headers.has(OFF_HEADER)) response.headers.set(OFF_HEADER, off.join(', '));
  if (waivedViolations.length > 0) response.headers.set(WAIVED_HEADER, listControls(waivedViolations).join(', '));
  return response;
}
