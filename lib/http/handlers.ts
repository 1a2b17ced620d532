import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

type Handler = (request: Request) => Response | Promise<Response>;
type Handlers = Record<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS', Handler>;

const ALLOW = { Allow: 'GET, HEAD, OPTIONS' };

/** Route handlers of a path that must answer even when the process could not start, so without `endpoint`. */
export function getOnly(get: Handler): Handlers {
  const refuse: Handler = (request) =>
    errorResponse(
      new ApiError('method_not_allowed', `This resource answers ${ALLOW.Allow}.`, { headers: ALLOW }),
      request.headers.get('accept'),
      requestIdOf(request.headers),
    );
  const head: Handler = async (request) => {
    const { status, headers } = await get(request);
    return new Response(null, { status, headers });
  };
  const options: Handler = (request) =>
    new Response(null, { status: 204, headers: { ...ALLOW, 'X-Request-Id': requestIdOf(request.headers) } });
  return { GET: get, HEAD: head, POST: refuse, PUT: refuse, PATCH: refuse, DELETE: refuse, OPTIONS: options };
}
