import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

/** What is no route where programs call is answered like everything else there: in JSON. */
export function noSuchRoute(request: Request): Response {
  const error = new ApiError('not_found', 'There is no such resource.');
  const response = errorResponse(error, request.headers.get('accept'), requestIdOf(request.headers));
  return request.method === 'HEAD' ? new Response(null, response) : response;
}
