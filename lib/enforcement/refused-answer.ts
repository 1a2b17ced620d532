import { CALLED_BY_SCRIPTS, CROSS_ORIGIN } from '@/lib/contract/lab-paths';
import { isLabEndpoint } from '@/lib/enforcement/canonical-path';
import type { Decision } from '@/lib/enforcement/decision';
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
  /** The canonical path of a request to this server: OAuth endpoints answer with OAuth errors. */
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
    return errorAnswer(oauthRefusal(error, path), accept, requestId, extensions);
  }
  if (!conflicting) return null;
  const error = new ApiError('invalid_request', 'The request has credentials of two different clients.', { headers });
  return errorAnswer(error, accept, requestId);
}

const AUTHORIZATION = /^\/auth\/authorize(?:\/|$)/i;
const RESOURCE = /^\/api\/data$/i;
/** Limits of an API key: on `/api/data` only a caller that sends one meets them, and OAuth knows none. */
const OF_API_KEYS = new Set(['client_rate_limit_exceeded', 'quota_exceeded']);

/**
 * A 429 or 503 in OAuth's own terms where the path is an OAuth endpoint; any other error as it is. The authorization
 * endpoint has `temporarily_unavailable` (RFC 6749 section 4.1.2.1). The endpoints that clients call have `slow_down`
 * for a 429 (RFC 8628 section 3.5) and the former for a 503; `/api/data` also names it in its challenge (RFC 6750 section 3).
 * @param path canonical
 */
export function oauthRefusal(error: ErrorFields, path: string): ErrorFields {
  if (!isLabEndpoint(path) || (error.status !== 429 && error.status !== 503)) return error;
  if (RESOURCE.test(path) && OF_API_KEYS.has(error.code)) return error;
  const { status, description, details } = error;
  const code = status === 429 && !AUTHORIZATION.test(path) ? 'slow_down' : 'temporarily_unavailable';
  const challenge = `Bearer realm="sluice-lab", error="${code}", error_description="${description.replaceAll('"', "'")}"`;
  const headers = {
    ...error.headers,
    ...(CALLED_BY_SCRIPTS.has(path) ? CROSS_ORIGIN : {}),
    ...(RESOURCE.test(path) ? { 'WWW-Authenticate': challenge } : {}),
  };
  return { code, status, description, details, headers };
}
