import { type ErrorFields, errorAnswer, type ProblemExtensions } from '@/lib/http/error-answer.mjs';

/** `errorAnswer` as a `Response`. */
export function errorResponse(
  error: ErrorFields,
  accept: string | null,
  requestId: string,
  extensions: ProblemExtensions = {},
): Response {
  const { body, ...init } = errorAnswer(error, accept, requestId, extensions);
  return new Response(body, init);
}
