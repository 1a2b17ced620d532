import { readableByScripts } from '@/lib/enforcement/refused-answer';
import { logFailure, toApiError } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { everyMethod, type Handlers } from '@/lib/http/methods';
import { REQUEST_ID_HEADER, requestIdOf } from '@/lib/http/request-id';
import { requestOrigin } from '@/lib/http/request-origin';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import type { LabServices } from '@/lib/oauth/lab/services';
import type { Services } from '@/lib/operation/services';

/**
 * The route handlers of one of the lab's paths: every method goes to the lab, which knows what it answers. With
 * `SLUICE_LAB=off` all of them are 404.
 */
export function labEndpoint(
  runtime: () => Promise<Services>,
  answer: (request: Request, lab: LabServices) => Promise<Response> = handleLabRequest,
): Handlers<(request: Request) => Promise<Response>> {
  return everyMethod(async (request) => {
    const requestId = requestIdOf(request.headers);
    const accept = request.headers.get('accept');
    let services: Services | undefined;
    try {
      services = await runtime();
      if (!services.config.SLUICE_LAB) throw new ApiError('not_found', 'The OAuth lab is switched off here.');
      const { config, labState: state, clock: now, randomBytes: random } = services;
      // Its issuer is the origin that the caller used.
      const response = await answer(request, { origin: requestOrigin(request, config), state, now, random });
      response.headers.set(REQUEST_ID_HEADER, requestId);
      return response;
    } catch (fault) {
      const error = toApiError(fault);
      logFailure(services?.logger, error, { requestId }, 'lab request failed');
      return errorResponse(readableByScripts(error, new URL(request.url).pathname), accept, requestId);
    }
  });
}
