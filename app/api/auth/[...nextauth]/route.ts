import { answerNextAuth } from '@/lib/admin/session/answer-next-auth';
import { redirectRefusedNavigation } from '@/lib/auth/sign-in-page';
import { convertFault, logFailure } from '@/lib/fault';
import { buildErrorResponse } from '@/lib/http/error-response';
import { handleEveryMethod } from '@/lib/http/methods';
import { readRequestId } from '@/lib/http/request-id';
import type { Services } from '@/lib/operation/services';
import { loadServices } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

type Route = { params: Promise<{ nextauth: string[] }> };

async function answer(request: Request, { params }: Route): Promise<Response> {
  const requestId = readRequestId(request.headers);
  let services: Services | undefined;
  try {
    services = await loadServices();
    const response = await answerNextAuth(request, (await params).nextauth, services, requestId);
    response.headers.set('X-Request-Id', requestId);
    return response;
  } catch (fault) {
    const error = convertFault(fault);
    logFailure(services?.logger, error, { requestId }, 'sign-in failed');
    const page = services === undefined ? null : redirectRefusedNavigation(request, error, services.config);
    page?.headers.set('X-Request-Id', requestId);
    return page ?? buildErrorResponse(error, request.headers.get('accept'), requestId);
  }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = handleEveryMethod(answer);
