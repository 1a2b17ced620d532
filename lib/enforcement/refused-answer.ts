import type { Decision } from '@/lib/enforcement/decision';
import { oauthRefusal } from '@/lib/enforcement/oauth-refusal';
import { ApiError } from '@/lib/http/api-error';
import { type Answer, errorAnswer } from '@/lib/http/error-answer.mjs';

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
export function refusedAnswer(
  { refusal }: Decision,
  { headers, accept, requestId, conflicting = false, path = '' }: RefusedAnswerOptions,
): Answer | null {
  if (refusal !== null) {
    const challenge: Record<string, string> =
      refusal.error === 'invalid_api_key' ? { 'WWW-Authenticate': 'ApiKey realm="sluice"' } : {};
    const error = new ApiError(refusal.error, refusal.description, { headers: { ...headers, ...challenge } });
    const extensions = refusal.violated.length > 0 ? { 'violated-policies': refusal.violated } : {};
    return errorAnswer(oauthRefusal(error, path), accept, requestId, extensions);
  }
  if (!conflicting) return null;
  const error = new ApiError('invalid_request', 'The request names two different clients.', { headers });
  return errorAnswer(error, accept, requestId);
}
