import { switchedOff } from '@/lib/oauth/lab/controls';
import type { Lab } from '@/lib/oauth/lab/services';
import { controlsOf, type Violation, type Violations } from '@/lib/oauth/lab/violation';

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

/**
 * A refusal: the first violation is the error (RFC 6749 section 5.2), `blocked_by` names the controls behind all.
 * @param violations at least one
 * @param options further headers, and further members of the body
 */
export function refuse(
  violations: readonly Violation[],
  options: { headers?: Record<string, string>; members?: Record<string, unknown> } = {},
): Response {
  const first = violations[0];
  if (first === undefined) throw new TypeError('A refusal needs a violation.');
  const { error, description: error_description, status = 400 } = first;
  const headers = { ...options.headers };
  if (error === 'invalid_client' && status === 401) headers['WWW-Authenticate'] ??= 'Basic realm="sluice-lab"';
  return answerJson(
    status,
    { error, error_description, blocked_by: controlsOf(violations), ...options.members },
    headers,
  );
}

/** Says on an answer which controls were off, and which of them would have refused the request. */
export function markWeakened(response: Response, { controls }: Lab, { waived }: Violations): Response {
  const off = switchedOff(controls);
  if (off.length > 0 && !response.headers.has(OFF_HEADER)) response.headers.set(OFF_HEADER, off.join(', '));
  if (waived.length > 0) response.headers.set(WAIVED_HEADER, controlsOf(waived).join(', '));
  return response;
}
