import type { Decision } from '@/lib/enforcement/decision';
import { ApiError } from '@/lib/http/api-error';
import { type Answer, errorAnswer } from '@/lib/http/error-answer.mjs';

/**
 * The answer to a refused request: body, `Retry-After` and limit headers.
 * @param headers those of the decision
 * @param accept the caller's `Accept`
 */
export function refusalAnswer(
  decision: Decision,
  headers: Record<string, string>,
  accept: string | null,
  requestId: string,
): Answer {
  const { refusal } = decision;
  if (refusal === null) throw new Error('A decision that admits has no refusal.');
  const challenge: Record<string, string> =
    refusal.error === 'invalid_api_key' ? { 'WWW-Authenticate': 'ApiKey realm="sluice"' } : {};
  const error = new ApiError(refusal.error, refusal.description, { headers: { ...headers, ...challenge } });
  const extensions = refusal.violated.length > 0 ? { 'violated-policies': refusal.violated } : {};
  return errorAnswer(error, accept, requestId, extensions);
}
