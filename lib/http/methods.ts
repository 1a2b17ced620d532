import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

/** The methods for which a Next route file exports handlers. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The exports of a Next route file. */
export type MethodHandlers<H> = Record<(typeof METHODS)[number], H>;

/** One handler for every method. */
export function everyMethod<H>(handler: H): MethodHandlers<H> {
  return {
    GET: handler,
    HEAD: handler,
    POST: handler,
    PUT: handler,
    PATCH: handler,
    DELETE: handler,
    OPTIONS: handler,
  };
}

type Handler = (request: Request) => Response | Promise<Response>;

const ALLOW = { Allow: 'GET, HEAD, OPTIONS' };

/** Handlers of a path that must answer even when the process could not start, so without `endpoint`. */
export function getOnly(get: Handler): MethodHandlers<Handler> {
  const refuse: Handler = (request) =>
    errorResponse(
      new ApiError('method_not_allowed', `This resource answers ${ALLOW.Allow}.`, { headers: ALLOW }),
      request.headers.get('accept'),
      requestIdOf(request.headers),
    );
  const head: Handler = async (request) => new Response(null, await get(request));
  const options: Handler = (request) =>
    new Response(null, { status: 204, headers: { ...ALLOW, 'X-Request-Id': requestIdOf(request.headers) } });
  return { ...everyMethod(refuse), GET: get, HEAD: head, OPTIONS: options };
}
