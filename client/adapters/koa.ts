import {
  type Checker,
  callOnceEnded,
  isPreflightBy,
  type LimitOptions,
  limitRequest,
  type ServedResponse,
} from '@/client/adapters/limit-request';

/** Fields of Koa's context that the adapter uses. */
export interface KoaContext {
  method: string;
  originalUrl: string;
  ip: string;
  state: Record<string, unknown>;
  status: number;
  body: unknown;
  get(header: string): string;
  set(headers: Record<string, string>): void;
  res: ServedResponse;
}

/**
 * Middleware for Koa. It limits by `context.ip` by default, which depends on `app.proxy`. The answer is in
 * `context.state.rateLimit`.
 * @example
 * app.use(limit(sluice, { user: (context) => context.state.user?.id }));
 */
export function limit<Context extends KoaContext = KoaContext>(sluice: Checker, options: LimitOptions<Context> = {}) {
  return async (context: Context, next: () => Promise<unknown>): Promise<void> => {
    const { method, originalUrl: target, ip } = context;
    const limited = await limitRequest(sluice, options, context, {
      ...{ method, target, ip, accept: context.get('accept') },
      isPreflight: isPreflightBy(method, (name) => context.get(name)),
    });
    if (limited !== null) {
      context.set(limited.headers);
      context.state.rateLimit = limited.answer;
      if (limited.refusal !== null) {
        context.status = limited.refusal.status;
        context.body = limited.refusal.body;
        // The type is set after the body, because a text body would reset it.
        context.set({ 'Content-Type': limited.headers['Content-Type'] ?? 'application/json' });
        return;
      }
      callOnceEnded(context.res, limited);
    }
    await next();
  };
}
