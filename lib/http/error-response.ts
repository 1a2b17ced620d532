import { type Answer, buildErrorAnswer, type ErrorFields } from '@/lib/http/error-answer';
import { readRequestId } from '@/lib/http/request-id';

/** Builds an error answer as a `Response`. */
export function buildErrorResponse(error: ErrorFields, accept: string | null, requestId: string): Response {
  return buildWholeResponse(buildErrorAnswer(error, accept, requestId));
}

/** Builds a response whose body is not a stream, and sets its length. */
export function buildWholeResponse({ status, headers, body }: Answer): Response {
  return new Response(body, {
    status,
    headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body ?? '')) },
  });
}

/** Builds an error answer in the format that the request accepts. */
export function refuseRequest({ headers }: Request, error: ErrorFields): Response {
  return buildErrorResponse(error, headers.get('accept'), readRequestId(headers));
}
