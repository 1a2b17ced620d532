import { answerDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { callOf } from '@/lib/enforcement/decision-api/call-of';
import { errorResponse } from '@/lib/http/error-response';
import { toApiError } from '@/lib/http/fault';
import { everyMethod, type Handlers } from '@/lib/http/handlers';
import { requestIdOf } from '@/lib/http/request-id';
import type { Services } from '@/lib/operation/services';

/** The route handlers of the decision API: the same answers as the fast lane gives, where there is no `server.mjs`. */
export function decisionRoute(services: () => Promise<Services>): Handlers<(request: Request) => Promise<Response>> {
  return everyMethod(async (request) => {
    try {
      const { body, ...init } = await answerDecisionCall(await services(), callOf(request));
      return new Response(request.method === 'HEAD' ? null : body, init);
    } catch (fault) {
      return errorResponse(toApiError(fault), request.headers.get('accept'), requestIdOf(request.headers));
    }
  });
}
