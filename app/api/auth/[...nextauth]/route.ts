import { handleNextAuth } from '@/lib/auth/next-auth/handler';
import { refusedNavigation } from '@/lib/auth/sign-in-page';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';
import { toApiError } from '@/lib/operation/fault';
import type { Services } from '@/lib/operation/services';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

async function handler(request: Request, { params }: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  const requestId = requestIdOf(request.headers);
  let services: Services | undefined;
  try {
    services = await runtime();
    const response = await handleNextAuth(request, (await params).nextauth, services, requestId);
    response.headers.set('X-Request-Id', requestId);
    return response;
  } catch (fault) {
    const error = toApiError(fault);
    if (error.status >= 500) services?.logger.error({ requestId, err: error.cause ?? error }, 'sign-in failed');
    const page = services === undefined ? null : refusedNavigation(request, error, services.config);
    page?.headers.set('X-Request-Id', requestId);
    return page ?? errorResponse(error, request.headers.get('accept'), requestId);
  }
}

export {
  handler as DELETE,
  handler as GET,
  handler as HEAD,
  handler as OPTIONS,
  handler as PATCH,
  handler as POST,
  handler as PUT,
};
