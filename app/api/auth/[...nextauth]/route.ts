import { answerNextAuth } from '@/lib/admin/session/answer-next-auth';
import { refusedNavigation } from '@/lib/auth/sign-in-page';
import { logFailure, toApiError } from '@/lib/fault';
import { errorResponse } from '@/lib/http/error-response';
import { everyMethod } from '@/lib/http/methods';
import { readRequestId } from '@/lib/http/request-id';
import type { Services } from '@/lib/operation/services';
import { runtime } from '@/lib/process/runtime';

export const dynamic = 'force-dynamic';

type Route = { params: Promise<{ nextauth: string[] }> };

async function answer(request: Request, { params }: Route): Promise<Response> {
  const requestId = readRequestId(request.headers);
  let services: Services | undefined;
  try {
    services = await runtime();
    const response = await answerNextAuth(request, (await params).nextauth, services, requestId);
    response.headers.set('X-Request-Id', requestId);
    return response;
  } catch (fault) {
    const error = toApiError(fault);
    logFailure(services?.logger, error, { requestId }, 'sign-in failed');
    const page = services === undefined ? null : refusedNavigation(request, error, services.config);
    page?.headers.set('X-Request-Id', requestId);
    return page ?? errorResponse(error, request.headers.get('accept'), requestId);
  }
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = everyMethod(answer);
