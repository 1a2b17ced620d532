import { answerDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import type { DecisionCall } from '@/lib/enforcement/decision-api/decision-call';
import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { toApiError } from '@/lib/http/fault';
import { readBytes } from '@/lib/http/json-body';
import { requestIdOf } from '@/lib/http/request-id';
import type { Services } from '@/lib/services';

type Handlers = Record<
  'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS',
  (request: Request) => Promise<Response>
>;

/** The route handlers of the decision API: the same answers as the fast lane gives, where there is no `server.mjs`. */
export function decisionRoute(services: () => Promise<Services>): Handlers {
  const handler = async (request: Request): Promise<Response> => {
    try {
      const { body, ...init } = await answerDecisionCall(await services(), callOf(request));
      return new Response(request.method === 'HEAD' ? null : body, init);
    } catch (fault) {
      return errorResponse(toApiError(fault), request.headers.get('accept'), requestIdOf(request.headers));
    }
  };
  return {
    GET: handler,
    HEAD: handler,
    POST: handler,
    PUT: handler,
    PATCH: handler,
    DELETE: handler,
    OPTIONS: handler,
  };
}

function callOf(request: Request): DecisionCall {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    url: request.url,
    target: `${pathname}${search}`,
    headers: request.headers,
    read: (limit) =>
      readBytes(request, limit).catch((fault: unknown) => {
        if (fault instanceof ApiError && fault.code === 'payload_too_large') return null;
        throw fault;
      }),
  };
}
