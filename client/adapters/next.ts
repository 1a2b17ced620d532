import { NextResponse } from 'next/server.js';
import { createRefusal, limitHandler, limitWebRequest, type WebRequest } from '@/client/adapters/limit-handler';
import { type Checker, requireKey, type WebLimitOptions } from '@/client/adapters/limit-request';

type Handler<Req, Rest extends unknown[]> = (request: Req, ...rest: Rest) => Response | Promise<Response>;

/** Result of `limit`: a proxy that also wraps route handlers. */
export interface NextLimit<Req extends WebRequest> {
  /** Proxy form: answers refused requests, and passes others on with the headers of their limit. */
  (request: Req, ...rest: unknown[]): Promise<Response>;
  /** Wrapper form: limits a route handler. */
  <Rest extends unknown[]>(handler: Handler<Req, Rest>): (request: Req, ...rest: Rest) => Promise<Response>;
}

/**
 * Limits requests in `proxy.ts` (or `middleware.ts`), or in a route handler.
 * @example
 * export const proxy = limit(sluice, { ip: forwardedFor() });
 * export const config = { matcher: '/api/:path*' };
 * @example
 * export const POST = limit(sluice, { class: 'write', user: userOf })(async (request) => Response.json(await order(request)));
 */
export function limit<Req extends WebRequest = Request>(
  sluice: Checker,
  options: WebLimitOptions<Req>,
): NextLimit<Req> {
  requireKey(options);
  const proxy = async (request: Req): Promise<Response> => {
    const limited = await limitWebRequest(sluice, options, request);
    if (limited === null) return NextResponse.next();
    return createRefusal(limited) ?? NextResponse.next({ headers: limited.headers });
  };
  function wrapOrProxy(request: Req): Promise<Response>;
  function wrapOrProxy<Rest extends unknown[]>(
    handler: Handler<Req, Rest>,
  ): (request: Req, ...rest: Rest) => Promise<Response>;
  function wrapOrProxy<Rest extends unknown[]>(input: Req | Handler<Req, Rest>) {
    return typeof input === 'function' ? limitHandler(sluice, options, input) : proxy(input);
  }
  return wrapOrProxy;
}

export { forwardedFor } from '@/client/adapters/forwarded-for';
