import { answerDecisionCall, type DecisionApiServices } from '@/lib/enforcement/decision-api/answer-decision-call';
import { callOf } from '@/lib/enforcement/decision-api/decision-call';
import { toApiError } from '@/lib/fault';
import { errorResponse } from '@/lib/http/error-response';
import { everyMethod } from '@/lib/http/methods';
import { requestIdOf } from '@/lib/http/request-id';

/** The route handlers of the decision API, for where `server.mjs` does not call `answerDecisionCall` itself. */
export function decisionRoute(services: () => Promise<DecisionApiServices>) {
  return everyMethod(async (request: Request): Promise<Response> => {
    try {
      const { body, ...init } = await answerDecisionCall(await services(), callOf(request));
      return new Response(request.method === 'HEAD' ? null : body, init);
    } catch (fault) {
      return errorResponse(toApiError(fault), request.headers.get('accept'), requestIdOf(request.headers));
    }
  });
}
