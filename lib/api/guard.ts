import { convertFault } from '@/lib/fault';
import { refuseRequest } from '@/lib/http/error-response';
import { requireHost } from '@/lib/http/request-origin';
import { buildStrictTransport, SECURITY_HEADERS } from '@/lib/http/security-headers';
import type { Services } from '@/lib/operation/services';

/** Answers a request to the API. */
export type AnswerRequest = (request: Request) => Promise<Response>;

/**
 * Guards the API, which `proxy.ts` skips: refuses an invalid `Host`, and adds the security headers. Calls of the
 * decision API do both themselves.
 * @param services services of the process. If they cannot start, the answer has no HSTS header.
 */
export function guard(services: () => Promise<Services>, answer: AnswerRequest): AnswerRequest {
  return async (request) => {
    try {
      requireHost(request.headers);
    } catch (fault) {
      return refuseRequest(request, convertFault(fault));
    }
    const response = await answer(request);
    const { pathname } = new URL(request.url);
    const config = await services().then(
      (current) => current.config,
      () => null,
    );
    const secure = config === null ? {} : buildStrictTransport(pathname, request.headers, config);
    for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...secure })) response.headers.set(name, value);
    return response;
  };
}
