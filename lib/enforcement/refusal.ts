import type { Decision } from '@/lib/enforcement/decision';
import { oauthRefusal } from '@/lib/enforcement/oauth-refusal';
import { ApiError } from '@/lib/http/api-error';
import { type Answer, errorAnswer } from '@/lib/http/error-response';

/**
 * The answer to a refused request: body, `Retry-After` and limit headers.
 * @param headers those of the decision
 * @param accept the caller's `Accept`
 * @param path the canonical path of a request to this server: OAuth endpoints answer with OAuth errors
 */
export function refusalAnswer(
  decision: Decision,
  headers: Record<string, string>,
  accept: string | null,
  requestId: string,
  path = '',
): Answer {
  const { refusal } = decision;
  if (refusal === null) throw new Error('A decision that admits has no refusal.');
  const challenge: Record<string, string> =
    refusal.error === 'invalid_api_key' ? { 'WWW-Authenticate': 'ApiKey realm="sluice"' } : {};
  const error = new ApiError(refusal.error, refusal.description, { headers: { ...headers, ...challenge } });
  const extensions = refusal.violated.length > 0 ? { 'violated-policies': refusal.violated } : {};
  return errorAnswer(oauthRefusal(error, path), accept, requestId, extensions);
}
