import { type Checker, isPreflightBy, type LimitOptions, limitRequest } from '@/client/adapters/limit-request';

/** What is used of Fastify's request; yours may have more. */
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
  raw: { statusCode: number; once(event: 'finish', listener: () => void): unknown };
}

/**
 * A hook for Fastify 4 and 5. Limits by `request.ip`, which `trustProxy` governs, unless told otherwise. To read more of the
 * request, write its type: `user: (request: FastifyRequest) => ...`.
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
    const { answered } = limited;
    if (answered !== null) reply.raw.once('finish', () => answered(reply.raw.statusCode));
    if (limited.refusal === null) return undefined;
    return reply.code(limited.refusal.status).send(limited.refusal.body);
  };
}
