import {
  type Checker,
  callOnceEnded,
  isPreflightBy,
  type LimitOptions,
  limitRequest,
  type ServedResponse,
} from '@/client/adapters/limit-request';

/** Fields of Express's request that the adapter uses. */
export interface ExpressRequest {
  method: string;
  originalUrl: string;
  ip?: string | undefined;
  headers: { accept?: string | undefined; [name: string]: string | string[] | undefined };
}

export interface ExpressResponse extends ServedResponse {
  locals: Record<string, unknown>;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/**
 * Middleware for Express 4 and 5. It limits by `request.ip` by default, which depends on `app.set('trust proxy', ...)`.
 * The answer is in `response.locals.rateLimit`.
 * @example
 * app.use(limit(sluice, { user: (request) => request.session?.userId, skip: (request) => request.path === '/healthz' }));
 */
export function limit<Request extends ExpressRequest = ExpressRequest>(
  sluice: Checker,
  options: LimitOptions<Request> = {},
) {
  return (request: Request, response: ExpressResponse, next: (error?: unknown) => void): void => {
    const { method, originalUrl: target, ip, headers } = request;
    const isPreflight = isPreflightBy(method, (name) => headers[name]);
    limitRequest(sluice, options, request, { method, target, ip, accept: headers.accept, isPreflight })
      .then((limited) => {
        if (limited === null) return next();
        for (const [name, value] of Object.entries(limited.headers)) response.setHeader(name, value);
        response.locals.rateLimit = limited.answer;
        callOnceEnded(response, limited);
        if (limited.refusal === null) return next();
        response.statusCode = limited.refusal.status;
        response.end(limited.refusal.body);
      })
      .catch(next);
  };
}
