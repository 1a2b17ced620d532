import { type Controls, isControlSwitch, type RefusingControl } from '@/lib/oauth/lab/controls';

/** Error codes of RFC 6749 (4.1.2.1, 5.2), RFC 6750 (3.1), RFC 8707 (2), RFC 9126, RFC 9449 (12) and OpenID Connect Core (3.1.2.6). */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'invalid_target'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'invalid_request_uri'
  | 'request_not_supported'
  | 'consent_required'
  | 'invalid_dpop_proof'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'not_found';

/** One thing that is wrong with a request, and the control that minds. */
export interface Violation {
  /** Null where no control of the catalogue is concerned: such a request is always refused. */
  control: RefusingControl | null;
  error: OAuthErrorCode;
  /** A sentence for the developer. Never holds what the caller sent. */
  description: string;
  /** HTTP status; 400 when absent. */
  status?: number;
}

/** Everything that is wrong with one request, in the order in which it was noted, under the controls of that request. */
export class Violations {
  readonly all: Violation[] = [];

  constructor(private readonly controls: Controls) {}

  note(control: Violation['control'], error: OAuthErrorCode, description: string, status?: number): void {
    this.all.push({ control, error, description, status });
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
