import { compareInLab } from '@/lib/admin/lab/compare-requests';
import { COMPARISON_PATH, DATA_METADATA_PATH, LAB_PATHS } from '@/lib/contract/lab-paths';
import { addCorsHeaders } from '@/lib/enforcement/refused-answer';
import { convertFault, logFailure } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { buildErrorResponse } from '@/lib/http/error-response';
import { answerNoSuchRoute, type Handlers, handleEveryMethod } from '@/lib/http/methods';
import { REQUEST_ID_HEADER, readRequestId } from '@/lib/http/request-id';
import { requestOrigin } from '@/lib/http/request-origin';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import type { Services } from '@/lib/operation/services';

/** Paths of the lab, including the comparison of requests. */
const ENDPOINTS: ReadonlySet<string> = new Set([...Object.values(LAB_PATHS), DATA_METADATA_PATH, COMPARISON_PATH]);

/**
 * Creates the route handlers of the lab. They pass every method of its paths to the lab, and answer other paths with
 * 404.
 * If `SLUICE_LAB=off`, all paths are 404.
 */
export function createLabEndpoint(runtime: () => Promise<Services>): Handlers<(request: Request) => Promise<Response>> {
  return handleEveryMethod(async (request) => {
    const path = new URL(request.url).pathname;
    if (!ENDPOINTS.has(path)) return answerNoSuchRoute(request);
    const requestId = readRequestId(request.headers);
    const accept = request.headers.get('accept');
    let services: Services | undefined;
    try {
      services = await runtime();
      if (!services.config.SLUICE_LAB) throw new ApiError('not_found', 'The OAuth lab is switched off here.');
      const { config, labState: state, clock: now, randomBytes: random } = services;
      // The issuer of the lab is the origin of the request.
      const lab = { origin: requestOrigin(request, config), state, now, random };
      const response =
        path === COMPARISON_PATH
          ? await compareInLab(request, lab, () => performance.now())
          : await handleLabRequest(request, lab);
      response.headers.set(REQUEST_ID_HEADER, requestId);
      return response;
    } catch (fault) {
      const error = convertFault(fault);
      logFailure(services?.logger, error, { requestId }, 'lab request failed');
      return buildErrorResponse(addCorsHeaders(error, path), accept, requestId);
    }
  });
}
