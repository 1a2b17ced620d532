import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

export const dynamic = 'force-dynamic';

/** What is no route under `/v1` is answered like everything else there: in JSON. */
function notFound(request: Request): Response {
  const error = new ApiError('not_found', 'There is no such resource.');
  const response = errorResponse(error, request.headers.get('accept'), requestIdOf(request.headers));
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

export {
  notFound as DELETE,
  notFound as GET,
  notFound as HEAD,
  notFound as OPTIONS,
  notFound as PATCH,
  notFound as POST,
  notFound as PUT,
};
