import { endWithBody } from '@/client/adapters/end-with-body';
import {
  type Checker,
  isPreflightBy,
  type Limited,
  limitRequest,
  requireKey,
  type WebLimitOptions,
} from '@/client/adapters/limit-request';

/** Fields of Hono's context that the adapter uses. */
export interface HonoContext {
  req: { method: string; path: string; header(name: string): string | undefined };
  header(name: string, value: string): void;
  set(name: 'rateLimit', value: unknown): void;
  res: Response;
}

/** The last limit of each request. An outer limit replaces none of its headers. */
const LAST = new WeakMap<object, Limited>();

/**
 * Middleware for Hono. Supply the address with the runtime's `getConnInfo`. The answer is in
 * `context.get('rateLimit')`.
 * @example
 * app.use(limit(sluice, { ip: (context) => getConnInfo(context).remote.address }));
 */
export function limit<Context extends HonoContext = HonoContext>(sluice: Checker, options: WebLimitOptions<Context>) {
  requireKey(options);
  return async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const { method, path: target } = context.req;
    const accept = context.req.header('accept');
    const isPreflight = isPreflightBy(method, (name) => context.req.header(name));
    const limited = await limitRequest(sluice, options, context, { method, target, accept, isPreflight });
    if (limited === null) return void (await next());
    LAST.set(context, limited);
    if (limited.refusal !== null) {
      return new Response(limited.refusal.body, { status: limited.refusal.status, headers: limited.headers });
    }
    context.set('rateLimit', limited.answer);
    try {
      await next();
      const response = endWithBody(context.res, limited);
      if (response !== context.res) context.res = response;
    } catch (error) {
      limited.recordEnd?.(500);
      throw error;
    }
    const isLast = LAST.get(context) === limited;
    // Headers are set after the handler, so that its own `Response` has them too.
    for (const [name, value] of Object.entries(limited.headers)) {
      if (isLast || !context.res.headers.has(name)) context.header(name, value);
    }
    return undefined;
  };
}
