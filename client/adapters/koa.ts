import { type Checker, isPreflightBy, type LimitOptions, limitRequest } from '@/client/adapters/limit-request';

/** What is used of Koa's context; yours may have more. */
export interface KoaContext {
  method: string;
  originalUrl: string;
  ip: string;
  state: Record<string, unknown>;
  status: number;
  body: unknown;
  get(header: string): string;
  set(headers: Record<string, string>): void;
  res: { statusCode: number; once(event: 'finish', listener: () => void): unknown };
}

/**
 * Middleware for Koa. Limits by `context.ip`, which `app.proxy` governs, unless told otherwise. The answer is in
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
        // A body that is text would make it so again.
        context.set({ 'Content-Type': limited.headers['Content-Type'] ?? 'application/json' });
        return;
      }
      const { answered } = limited;
      if (answered !== null) context.res.once('finish', () => answered(context.res.statusCode));
    }
    await next();
  };
}
