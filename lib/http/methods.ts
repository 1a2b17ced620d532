import { ApiError, createMethodNotAllowed } from '@/lib/http/api-error';
import { createUncachedHeaders } from '@/lib/http/error-answer';
import { refuseRequest } from '@/lib/http/error-response';
import { PROBE_PATHS } from '@/lib/http/probe-paths';
import { readRequestId } from '@/lib/http/request-id';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type HttpMethod = (typeof METHODS)[number];

export type Handler<Route = unknown> = (request: Request, route: Route) => Response | Promise<Response>;

/** Exports of a route file: a handler for each method. */
export type Handlers<H> = Readonly<Record<HttpMethod, H>>;

function createHandlers<H>(handlerOf: (method: HttpMethod) => H): Handlers<H> {
  return Object.fromEntries(METHODS.map((method) => [method, handlerOf(method)])) as Handlers<H>;
}

/** Uses one handler for every method, for paths whose handler checks the method itself. */
export function handleEveryMethod<H>(handler: H): Handlers<H> {
  return createHandlers(() => handler);
}

/**
 * Builds the handlers of a resource: its methods, `HEAD` if it has `GET`, `OPTIONS`, and 405 with `Allow` for the rest.
 */
export function createResourceHandlers<Route = unknown>(
  answers: Readonly<Partial<Record<string, Handler<Route>>>>,
): Handlers<Handler<Route>> {
  const get = answers.GET;
  const all: typeof answers = get === undefined ? answers : { ...answers, HEAD: createHeadHandler(get) };
  const allow = METHODS.filter((method) => method === 'OPTIONS' || all[method] !== undefined).join(', ');
  return createHandlers<Handler<Route>>((method) => {
    if (method === 'OPTIONS') return (request) => buildOptionsResponse(request, allow);
    return all[method] ?? ((request) => refuseRequest(request, createMethodNotAllowed(allow)));
  });
}

function createHeadHandler<Route>(get: Handler<Route>): Handler<Route> {
  return async (request, route) => {
    const response = await get(request, route);
    await response.body?.cancel();
    return new Response(null, { status: response.status, headers: response.headers });
  };
}

function buildOptionsResponse(request: Request, allow: string): Response {
  return new Response(null, {
    status: 204,
    headers: createUncachedHeaders(readRequestId(request.headers), { Allow: allow }),
  });
}

/** Answers 404 in JSON, for API paths without a route. */
export function answerNoSuchRoute(request: Request): Response {
  const response = refuseRequest(request, new ApiError('not_found', 'There is no such resource.'));
  return request.method === 'HEAD' ? new Response(null, response) : response;
}

/** Checks whether a path belongs to an API, which answers with data instead of a page. */
export function isApiPath(pathname: string): boolean {
  return isBelow(pathname, API_TREES);
}

const API_TREES = ['/v1', '/.well-known', ...PROBE_PATHS];
/** Paths whose handlers check the method themselves. */
const HANDLED_TREES = [...API_TREES, '/api', '/auth'];
/** Paths of Next's development tools. */
const TOOLS = /^\/_(?:next\/|_nextjs)/;

/** Checks whether a path can be that of a page: neither an API nor a file. */
export function isPagePath(pathname: string): boolean {
  return !isBelow(pathname, HANDLED_TREES) && !TOOLS.test(pathname) && !/\.\w+$/.test(pathname);
}

function isBelow(pathname: string, trees: readonly string[]): boolean {
  return trees.some((tree) => pathname === tree || pathname.startsWith(`${tree}/`));
}

/**
 * Refuses methods other than GET and HEAD on pages, because Next would answer any method with the page.
 * Null if the request may proceed. Server Actions would need POST, but there are none.
 * @param exists whether the path is one of Sluice's own routes
 */
export function refusePageMethod(request: Request, pathname: string, exists: boolean): Response | null {
  if (['GET', 'HEAD'].includes(request.method) || isBelow(pathname, HANDLED_TREES) || TOOLS.test(pathname)) return null;
  if (!exists) return answerNoSuchRoute(request);
  const allow = 'GET, HEAD, OPTIONS';
  if (request.method === 'OPTIONS') return buildOptionsResponse(request, allow);
  return refuseRequest(request, createMethodNotAllowed(allow, 'page'));
}
