import type { ApiError } from '@/lib/http/api-error';
import { errorAnswer, type ProblemExtensions } from '@/lib/http/error-answer.mjs';

/** `errorAnswer` as a `Response`. */
export function errorResponse(
  error: ApiError,
  accept: string | null,
  requestId: string,
  extensions: ProblemExtensions = {},
): Response {
  const { body, ...init } = errorAnswer(error, accept, requestId, extensions);
  return new Response(body, init);
}
