import { type Controls, isControlSwitch, type RefusingControl, switchedOff } from '@/lib/oauth/lab/controls';

/** Error codes of RFC 6749 (4.1.2.1, 5.2), 6750 (3.1), 8707 (2), 9126, 9449 (12) and OpenID Connect Core (3.1.2.6). */
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
  method_not_allowed: 405,
  payload_too_large: 413,
  not_found: 404,
};
type OAuthErrorCode = keyof typeof STATUS;

/** One thing that is wrong with a request, and the control that minds. */
export interface Violation {
  /** Null where no control of the catalogue is concerned: such a request is always refused. */
  control: RefusingControl | null;
  error: OAuthErrorCode;
  /** A sentence for the developer. Never holds what the caller sent. */
  description: string;
}

/** Everything that is wrong with one request, in the order in which it was noted, under the controls of that request. */
export class Violations {
  readonly all: Violation[] = [];

  constructor(readonly controls: Controls) {}

  note(control: Violation['control'], description: string, error: OAuthErrorCode = 'invalid_request'): void {
    this.all.push({ control, error, description });
  }

  /** Those that refuse the request. A control without a switch is always on. */
  get refusing(): Violation[] {
    return this.all.filter((violation) => !this.#isWaived(violation));
  }

  /** Those that would refuse it if their controls were on. */
  get waived(): Violation[] {
    return this.all.filter((violation) => this.#isWaived(violation));
  }

  #isWaived({ control }: Violation): boolean {
    return control !== null && isControlSwitch(control) && !this.controls[control];
  }
}

/** The ids of the controls behind some violations, each once, in the order of their appearance. */
export function controlsOf(violations: readonly Violation[]): RefusingControl[] {
  return [...new Set(violations.flatMap(({ control }) => control ?? []))];
}

/** Names the controls that would have refused the request if they were on. */
export const WAIVED_HEADER = 'Sluice-Lab-Waived';
/** Names the controls that were off for the request. */
const OFF_HEADER = 'Sluice-Lab-Off';

/** A JSON answer of the lab. Answers are never stored, unless a header says otherwise. */
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

export const statusOf = ({ error }: Violation): number => STATUS[error];

/**
 * A refusal: the first violation is the error (RFC 6749 section 5.2), `blocked_by` names the controls behind all.
 * @param violations at least one
 * @param members further members of the body
 * @param status other than that of the error
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
  const body = { error, error_description, blocked_by: controlsOf(violations), ...members };
  return answerJson(status ?? statusOf(first), body, { ...challenge, ...headers });
}

/** Says on an answer which controls were off, and which of them would have refused the request. */
export function markWeakened(response: Response, { controls, waived }: Violations): Response {
  const off = switchedOff(controls);
  if (off.length > 0 && !response.headers.has(OFF_HEADER)) response.headers.set(OFF_HEADER, off.join(', '));
  if (waived.length > 0) response.headers.set(WAIVED_HEADER, controlsOf(waived).join(', '));
  return response;
}
