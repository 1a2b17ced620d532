import { type Answer, type ErrorFields, errorAnswer } from '@/lib/http/error-answer';
import { requestIdOf } from '@/lib/http/request-id';

/** `errorAnswer` as a `Response`. */
export function errorResponse(error: ErrorFields, accept: string | null, requestId: string): Response {
  const { body, ...init } = errorAnswer(error, accept, requestId);
  return new Response(body, init);
}

/** An answer whose body is no stream. Its length says so to the server. */
export function wholeResponse({ status, headers, body }: Answer): Response {
  return new Response(body, {
    status,
    headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body ?? '')) },
  });
}

/** The error in the form that the request asks for. */
export function refuseRequest({ headers }: Request, error: ErrorFields): Response {
  return errorResponse(error, headers.get('accept'), requestIdOf(headers));
}
