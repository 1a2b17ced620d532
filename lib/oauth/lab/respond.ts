import { type Controls, switchedOff } from '@/lib/oauth/lab/controls';
import { controlsOf, type Violation } from '@/lib/oauth/lab/violation';

/** Names the controls that would have refused the request if they were on. */
export const WAIVED_HEADER = 'Sluice-Lab-Waived';
/** Names the controls that were off for the request. */
const OFF_HEADER = 'Sluice-Lab-Off';

const BASE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** A JSON answer of the lab. Answers are never stored, unless a header says otherwise. */
export function answerJson(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...BASE_HEADERS, 'Content-Type': 'application/json; charset=utf-8', ...headers },
  });
}

/** What a refusal carries beside its error. */
export interface RefusalOptions {
  headers?: Record<string, string>;
  /** Further members of the body. */
  members?: Record<string, unknown>;
}

/**
 * A refusal: the first violation is the error (RFC 6749 section 5.2), `blocked_by` names the controls behind all.
 * There must be at least one violation.
 */
export function refuse(violations: readonly Violation[], options: RefusalOptions = {}): Response {
  const first = violations[0];
  if (first === undefined) throw new TypeError('A refusal needs a violation.');
  const headers = { ...options.headers };
  if (first.error === 'invalid_client' && first.status === 401)
    headers['WWW-Authenticate'] ??= 'Basic realm="sluice-lab"';
  const body = {
    error: first.error,
    error_description: first.description,
    blocked_by: controlsOf(violations),
    ...options.members,
  };
  return answerJson(first.status ?? 400, body, headers);
}

/** Says on an answer which controls were off, and which of them would have refused the request. */
export function markWeakened(response: Response, controls: Controls, waived: readonly Violation[]): Response {
  const off = switchedOff(controls);
  if (off.length > 0) response.headers.set(OFF_HEADER, off.join(', '));
  if (waived.length > 0) response.headers.set(WAIVED_HEADER, controlsOf(waived).join(', '));
  return response;
}
