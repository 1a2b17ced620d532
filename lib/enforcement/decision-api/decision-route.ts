import { answerDecisionCall, type DecisionApiServices } from '@/lib/enforcement/decision-api/answer-decision-call';
import { callOf } from '@/lib/enforcement/decision-api/decision-call';
import { toApiError } from '@/lib/fault';
import { errorResponse } from '@/lib/http/error-response';
import { everyMethod, type Handlers } from '@/lib/http/methods';
import { requestIdOf } from '@/lib/http/request-id';

/** The route handlers of the decision API: the same answers as the decision path of `server.mjs`, for where there is none. */
export function decisionRoute(
  services: () => Promise<DecisionApiServices>,
): Handlers<(request: Request) => Promise<Response>> {
  return everyMethod(async (request) => {
    try {
      const { body, ...init } = await answerDecisionCall(await services(), callOf(request));
      return new Response(request.method === 'HEAD' ? null : body, init);
    } catch (fault) {
      return errorResponse(toApiError(fault), request.headers.get('accept'), requestIdOf(request.headers));
    }
  });
}
