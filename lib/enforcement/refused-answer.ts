import { CALLED_BY_SCRIPTS, CROSS_ORIGIN } from '@/lib/contract/lab-paths';
import type { Decision } from '@/lib/enforcement/decision';
import { readingsOf } from '@/lib/enforcement/path-readings';
import { ApiError } from '@/lib/http/api-error';
import { type Answer, type ErrorFields, errorAnswer } from '@/lib/http/error-answer.mjs';

/** What an answer takes over from its request. */
export interface RefusedAnswerOptions {
  /** Headers of the decision. */
  headers: Record<string, string>;
  /** The request's `Accept`. */
  accept: string | null;
  requestId: string;
  /** The request names two different clients, so it was counted for neither. */
  conflicting?: boolean;
  /** The path of a request to this server; scripts of other origins read the errors of some. */
  path?: string;
}

/** The error that answers a refused request, or one that names two clients; null for an admitted request. */
export function refusedAnswer({ refusal }: Decision, request: RefusedAnswerOptions): Answer | null {
  const { headers, accept, requestId, conflicting = false, path = '' } = request;
  if (refusal !== null) {
    const challenge: Record<string, string> =
      refusal.error === 'invalid_api_key' ? { 'WWW-Authenticate': 'ApiKey realm="sluice"' } : {};
    const error = new ApiError(refusal.error, refusal.description, { headers: { ...headers, ...challenge } });
    const extensions = refusal.violated.length > 0 ? { 'violated-policies': refusal.violated } : {};
    return errorAnswer(readableByScripts(error, path), accept, requestId, extensions);
  }
  if (!conflicting) return null;
  const error = new ApiError('invalid_request', 'The request has credentials of two different clients.', { headers });
  return errorAnswer(readableByScripts(error, path), accept, requestId);
}

/**
 * An error at one of the lab's endpoints that scripts of other origins call carries the headers that let them read it.
 * @param path as it was sent
 */
export function readableByScripts(error: ErrorFields, path: string): ErrorFields {
  if (!readingsOf(path).some((reading) => CALLED_BY_SCRIPTS.has(reading))) return error;
  const { code, status, description, details, headers } = error;
  return { code, status, description, details, headers: { ...headers, ...CROSS_ORIGIN } };
}
