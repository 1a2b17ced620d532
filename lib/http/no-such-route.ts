import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { everyMethod } from '@/lib/http/handlers';
import { requestIdOf } from '@/lib/http/request-id';

/** 404 in JSON, for paths where programs call and there is no route. */
export function noSuchRoute(request: Request): Response {
  const error = new ApiError('not_found', 'There is no such resource.');
  const response = errorResponse(error, request.headers.get('accept'), requestIdOf(request.headers));
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

/** `noSuchRoute` as the handlers of a route file. */
export const noSuchRoutes = everyMethod(noSuchRoute);
