import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

/** 404 in JSON, for unknown paths below the ones that programs call. */
export function noSuchRoute(request: Request): Response {
  const error = new ApiError('not_found', 'There is no such resource.');
  const response = errorResponse(error, request.headers.get('accept'), requestIdOf(request.headers));
  return request.method === 'HEAD' ? new Response(null, response) : response;
}
