import { type ErrorFields, errorAnswer } from '@/lib/http/error-answer';
import { requestIdOf } from '@/lib/http/request-id';

/** `errorAnswer` as a `Response`. */
export function errorResponse(error: ErrorFields, accept: string | null, requestId: string): Response {
  const { body, ...init } = errorAnswer(error, accept, requestId);
  return new Response(body, init);
}

/** The error in the form that the request asks for. */
export function refuseRequest({ headers }: Request, error: ErrorFields): Response {
  return errorResponse(error, headers.get('accept'), requestIdOf(headers));
}
