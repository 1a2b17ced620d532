import { answerDecisionCall, type DecisionApiServices } from '@/lib/enforcement/decision-api/answer-decision-call';
import { callOf } from '@/lib/enforcement/decision-api/decision-call';
import { toApiError } from '@/lib/fault';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

type Handlers = Record<
  'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS',
  (request: Request) => Promise<Response>
>;

/** The route handlers of the decision API, for where `server.mjs` does not call `answerDecisionCall` itself. */
export function decisionRoute(services: () => Promise<DecisionApiServices>): Handlers {
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
