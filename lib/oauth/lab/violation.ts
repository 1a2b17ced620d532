import { type Controls, isControlSwitch, type RefusingControl } from '@/lib/oauth/lab/controls';

/** Error codes of RFC 6749 (4.1.2.1, 5.2), RFC 6750 (3.1), RFC 8707 (2), RFC 9126, RFC 9449 (12) and OpenID Connect Core (3.1.2.6). */
export type OAuthErrorCode =
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

/** What is wrong with a request, sorted by whether the controls that mind are on. */
export interface SortedViolations {
  /** These refuse the request. */
  refusing: readonly Violation[];
  /** These would refuse it if their controls were on. */
  waived: readonly Violation[];
}

/** Sorts violations by the controls that are on. Controls without a switch are always on. */
export function applyControls(violations: readonly Violation[], controls: Controls): SortedViolations {
  const off = (violation: Violation) =>
    violation.control !== null && isControlSwitch(violation.control) && !controls[violation.control];
  return { refusing: violations.filter((v) => !off(v)), waived: violations.filter(off) };
}

/** The ids of the controls behind some violations, each once, in the order of their appearance. */
export function controlsOf(violations: readonly Violation[]): RefusingControl[] {
  return [...new Set(violations.flatMap((v) => (v.control === null ? [] : [v.control])))];
}
