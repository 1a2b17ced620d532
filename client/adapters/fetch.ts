import { limitHandler, type WebRequest } from '@/client/adapters/limit-handler';
import { type Checker, requireKey, type WebLimitOptions } from '@/client/adapters/limit-request';

/**
 * Wraps a handler that answers a `Request` with a `Response`, as in Deno, Bun and Cloudflare Workers.
 * @example
 * const limited = limit(sluice, { ip: (request) => request.headers.get('cf-connecting-ip') });
 * export default { fetch: limited((request) => new Response('hello')) };
 */
export function limit<Req extends WebRequest = Request>(sluice: Checker, options: WebLimitOptions<Req>) {
  requireKey(options);
  return <Rest extends unknown[]>(handler: (request: Req, ...rest: Rest) => Response | Promise<Response>) =>
    limitHandler(sluice, options, handler);
}

export { forwardedFor } from '@/client/adapters/forwarded-for';
