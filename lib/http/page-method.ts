import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { noSuchRoute } from '@/lib/http/no-such-route';
import { requestIdOf } from '@/lib/http/request-id';

/** Paths with their own handlers, which know their methods. */
const HANDLED = /^\/(?:v1|api|auth|metrics|healthz|readyz|\.well-known)(?:\/|$)/;
/** Requests of Next's own development tools. */
const TOOLS = /^\/_(?:next\/|_nextjs)/;

/**
 * Refuses methods other than GET and HEAD on pages; null when the request may proceed. Next would answer any method with
 * the page. There are no Server Actions, which would need POST.
 * @param exists whether the path is one of Sluice's own routes
 */
export function refusePageMethod(request: Request, pathname: string, exists: boolean): Response | null {
  if (['GET', 'HEAD'].includes(request.method) || HANDLED.test(pathname) || TOOLS.test(pathname)) return null;
  if (!exists) return noSuchRoute(request);
  const headers = { Allow: 'GET, HEAD, OPTIONS' };
  const requestId = requestIdOf(request.headers);
  if (request.method === 'OPTIONS')
    return new Response(null, { status: 204, headers: { ...headers, 'X-Request-Id': requestId } });
  const error = new ApiError('method_not_allowed', `This page answers ${headers.Allow}.`, { headers });
  return errorResponse(error, request.headers.get('accept'), requestId);
}
