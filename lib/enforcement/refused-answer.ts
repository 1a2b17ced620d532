import { CALLED_BY_SCRIPTS, CROSS_ORIGIN } from '@/lib/contract/lab-paths';
import type { Decision } from '@/lib/enforcement/decision';
import { listReadings } from '@/lib/enforcement/path-readings';
import { listViolated } from '@/lib/enforcement/refusal';
import { ApiError } from '@/lib/http/api-error';
import { type Answer, buildErrorAnswer, type ErrorFields } from '@/lib/http/error-answer';

/** Parts of the request that its answer needs. */
export interface RefusedAnswerOptions {
  /** Headers of the decision. */
  headers: Record<string, string>;
  /** The request's `Accept`. */
  accept: string | null;
  requestId: string;
  /** True if the request names two different clients. It was counted for neither. */
  conflicting?: boolean;
  /** Path of a request to this server. Scripts of other origins may read the errors of some paths. */
  path?: string;
}

/** Builds the answer to a refused request, or to one that names two clients. Returns null for an admitted request. */
export function buildRefusedAnswer({ refusal }: Decision, request: RefusedAnswerOptions): Answer | null {
  const { headers, accept, requestId, conflicting = false, path = '' } = request;
  if (refusal !== null) {
    const challenge: Record<string, string> =
      refusal.error === 'invalid_api_key' ? { 'WWW-Authenticate': 'ApiKey realm="sluice"' } : {};
    const error = new ApiError(refusal.error, refusal.description, { headers: { ...headers, ...challenge } });
    const violated = listViolated(refusal);
    const extensions = {
      ...(refusal.limitName === undefined ? {} : { limit_name: refusal.limitName }),
      ...(violated.length > 0 ? { 'violated-policies': violated } : {}),
    };
    return buildErrorAnswer(addCorsHeaders(error, path), accept, requestId, extensions);
  }
  if (!conflicting) return null;
  const error = new ApiError('invalid_request', 'The request has credentials of two different clients.', { headers });
  return buildErrorAnswer(addCorsHeaders(error, path), accept, requestId);
}

/**
 * Adds CORS headers to an error at an endpoint of the lab that scripts of other origins call.
 * @param path the path as it was sent
 */
export function addCorsHeaders(error: ErrorFields, path: string): ErrorFields {
  if (!listReadings(path).some((reading) => CALLED_BY_SCRIPTS.has(reading))) return error;
  const { code, status, description, details, headers } = error;
  return { code, status, description, details, headers: { ...headers, ...CROSS_ORIGIN } };
}
