import { after, type NextRequest, NextResponse } from 'next/server';
import { readSession } from '@/lib/auth/session';
import type { Config } from '@/lib/config/config';
import { CALLBACK_PATH } from '@/lib/contract/callback';
import { decideAdmission, findProtection } from '@/lib/enforcement/admission';
import { isOwnRoute } from '@/lib/enforcement/own-routes';
import { addCorsHeaders } from '@/lib/enforcement/refused-answer';
import { buildUpstreamRequest } from '@/lib/enforcement/upstream-proxy';
import { convertFault } from '@/lib/fault';
import { requireWholeBody } from '@/lib/http/body-limits';
import { buildErrorResponse } from '@/lib/http/error-response';
import { buildFailedPage, isNavigation } from '@/lib/http/failed-page';
import { answerNoSuchRoute, isApiPath, isPagePath, refusePageMethod } from '@/lib/http/methods';
import { buildPageHeaders } from '@/lib/http/page-headers';
import { REQUEST_ID_HEADER, readRequestId } from '@/lib/http/request-id';
import { requestOrigin, requireHost } from '@/lib/http/request-origin';
import { buildStrictTransport, SECURITY_HEADERS } from '@/lib/http/security-headers';
import { redirectFormPost } from '@/lib/oauth/callback/redirect-form-post';
import { registerAfterAnswer } from '@/lib/process/register-after-answer';
import { loadServices } from '@/lib/process/runtime';

/** The API, health and metrics are excluded: they need no admission, and `lib/api/guard.ts` guards them. */
export const config = { matcher: ['/((?!_next/static/|v1/|healthz$|readyz$|metrics$).*)'] };

/**
 * Handles every other request. If its path is protected, it is decided. If it belongs to the upstream, it is rewritten.
 * Otherwise it continues with the headers of a page. The rewrite is for deployments without `server.mjs` (Vercel).
 * Elsewhere `server.mjs` proxies such requests before Next sees them (`lib/enforcement/upstream-proxy.ts`).
 */
export async function proxy(request: NextRequest): Promise<Response> {
  const requestId = readRequestId(request.headers);
  // Next reads `/_next/data/x/orders.json` as `/orders`, and its answer would contain the address of the upstream.
  if (request.headers.has('x-nextjs-data')) return answerNoSuchRoute(request);
  try {
    requireHost(request.headers);
    const services = await loadServices();
    registerAfterAnswer(after, services);
    const { SLUICE_UPSTREAM: upstream } = services.config;
    const protection = findProtection(request.nextUrl.pathname, upstream !== undefined);
    if (protection !== 'upstream' && /.\/$/.test(request.nextUrl.pathname)) return redirectToUsualPath(request);
    if (protection === 'own') {
      if (request.method === 'POST' && request.nextUrl.pathname === CALLBACK_PATH)
        return await redirectFormPost(request, requestOrigin(request, services.config));
      const refused = refusePageMethod(request, request.nextUrl.pathname, isOwnRoute(request.nextUrl.pathname));
      if (refused !== null) return refused;
      // Next serves the page of failures under this path, with status 500.
      if (request.nextUrl.pathname === '/_global-error') return answerNoSuchRoute(request);
      // Next answers 500 for a page that fails while it is rendered. So the database is read before, too.
      if (isNavigation(request) && needsDatabase(request.nextUrl.pathname))
        await readSession(request.headers.get('cookie'), services);
      return forwardRequest(request, requestId, securityHeaders(request, services.config));
    }
    const { headers, response } = await decideAdmission(request, services, requestId);
    if (response !== null) return response;
    if (protection === 'protected' || upstream === undefined)
      return forwardRequest(request, requestId, { response: headers, request: {} });
    if (!services.config.VERCEL) requireWholeBody(request.headers);
    const target = buildUpstreamRequest(request, upstream, services.config, requestId);
    return NextResponse.rewrite(target.url, {
      request: { headers: target.headers },
      headers: { ...headers, 'X-Request-Id': requestId },
    });
  } catch (fault) {
    const error = addCorsHeaders(convertFault(fault), request.nextUrl.pathname);
    if (isOwnPage(request.nextUrl.pathname) && isNavigation(request)) return buildFailedPage(error, requestId);
    return buildErrorResponse(error, request.headers.get('accept'), requestId);
  }
}

function isOwnPage(pathname: string): boolean {
  return isOwnRoute(pathname) && isPagePath(pathname);
}

/** Returns whether a path is that of a page which shows nothing without the database. */
function needsDatabase(pathname: string): boolean {
  return isOwnPage(pathname) && !/^\/docs(?:\/|$)/.test(pathname);
}

/** Redirects to a path without its slash at the end. Next would do so, but for the paths of the upstream too. */
function redirectToUsualPath(request: NextRequest): Response {
  // A clone of `nextUrl` would put the slash back.
  const url = new URL(request.url);
  // Next makes the address relative. With two slashes in front it would name another host.
  url.pathname = `/${url.pathname.replace(/^\/+|\/$/g, '')}`;
  return NextResponse.redirect(url, 308);
}

function securityHeaders(request: NextRequest, config: Config) {
  const { pathname } = request.nextUrl;
  if (!isApiPath(pathname)) return buildPageHeaders(request, config);
  return { response: { ...SECURITY_HEADERS, ...buildStrictTransport(pathname, request.headers, config) }, request: {} };
}

function forwardRequest(
  request: NextRequest,
  requestId: string,
  extra: { response: Record<string, string>; request: Record<string, string> },
): Response {
  const headers = new Headers(request.headers);
  headers.set(REQUEST_ID_HEADER, requestId);
  for (const [name, value] of Object.entries(extra.request)) headers.set(name, value);
  return NextResponse.next({ request: { headers }, headers: { ...extra.response, 'X-Request-Id': requestId } });
}
