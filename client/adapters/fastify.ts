import {
  type Checker,
  callOnceEnded,
  isPreflightBy,
  type LimitOptions,
  limitRequest,
  type ServedResponse,
} from '@/client/adapters/limit-request';

/** Fields of Fastify's request that the adapter uses. */
export interface FastifyRequest {
  method: string;
  url: string;
  ip: string;
  headers: { accept?: string | undefined; [name: string]: string | string[] | undefined };
}

export interface FastifyReply {
  code(status: number): this;
  headers(values: Record<string, string>): this;
  send(body: string): this;
  raw: ServedResponse;
}

/**
 * Hook for Fastify 4 and 5. It limits by `request.ip` by default, which depends on `trustProxy`. To use more of the
 * request, declare its type: `user: (request: FastifyRequest) => ...`.
 * @example
 * app.addHook('onRequest', limit(sluice));
 * app.post('/orders', { preHandler: limit(sluice, { class: 'write', user: (request: FastifyRequest) => request.user.id }) }, handler);
 */
export function limit<Request extends FastifyRequest = FastifyRequest>(
  sluice: Checker,
  options: LimitOptions<Request> = {},
) {
  return async <Reply extends FastifyReply>(request: NoInfer<Request>, reply: Reply): Promise<Reply | undefined> => {
    const { method, url: target, ip, headers } = request;
    const limited = await limitRequest(sluice, options, request, {
      ...{ method, target, ip, accept: headers.accept },
      isPreflight: isPreflightBy(method, (name) => headers[name]),
    });
    if (limited === null) return undefined;
    reply.headers(limited.headers);
    callOnceEnded(reply.raw, limited);
    if (limited.refusal === null) return undefined;
    return reply.code(limited.refusal.status).send(limited.refusal.body);
  };
}
