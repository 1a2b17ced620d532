import { refusedNavigation } from '@/lib/auth/sign-in-page';
import { canonicalPath } from '@/lib/enforcement/canonical-path';
import type { Decision, Facts } from '@/lib/enforcement/decision';
import { decisionHeaders } from '@/lib/enforcement/headers';
import { oauthClient } from '@/lib/enforcement/oauth-client';
import { isOwnRoute } from '@/lib/enforcement/own-routes';
import { refusalAnswer } from '@/lib/enforcement/refusal';
import { singleValue } from '@/lib/enforcement/single-value';
import { verifiedUser } from '@/lib/enforcement/verified-user';
import { ApiError } from '@/lib/http/api-error';
import { clientAddress } from '@/lib/http/client-address';
import { errorResponse } from '@/lib/http/error-response';
import type { Services } from '@/lib/operation/services';

/** What a path is to enforcement. */
export type Protection = 'protected' | 'upstream' | 'own';

const SIGN_IN_ATTEMPT = /^\/api\/auth\/(?:callback|signin)\/[^/]+$/i;
const SESSION = /^\/api\/auth(?:\/|$)/i;
const PROTECTED = /^\/(?:api|auth)(?:\/|$)/i;

/**
 * Whether requests to a path are decided: `/auth/*`, `/api/*` and sign-in attempts in every spelling (not the session
 * look-ups that pages make), and whatever is passed on to the upstream.
 */
export function protectionOf(pathname: string, hasUpstream: boolean): Protection {
  const path = canonicalPath(pathname);
  if (SIGN_IN_ATTEMPT.test(path)) return 'protected';
  if (hasUpstream && !isOwnRoute(path)) return 'upstream';
  if (SESSION.test(path)) return 'own';
  return PROTECTED.test(path) ? 'protected' : 'own';
}

/** A request after enforcement: `response` is the refusal, or null when the request goes on with `headers` on its answer. */
export interface Admission {
  decision: Decision;
  headers: Record<string, string>;
  response: Response | null;
}

/**
 * Decides a request to a protected path and says what its answer carries.
 * @param pathname the path as it was sent, where `request.url` is not quite that
 */
export async function admission(
  request: Request,
  services: Services,
  requestId: string,
  pathname: string = new URL(request.url).pathname,
): Promise<Admission> {
  const accept = request.headers.get('accept');
  const path = canonicalPath(pathname);
  const apiKey = singleValue(request.headers.get('x-api-key'));
  const client = await oauthClient(request, path);
  const userId = await verifiedUser(request, services, path);
  const conflicting = apiKey === 'several' || (apiKey !== null && client !== null);
  const facts: Facts = {
    method: request.method,
    path: pathname,
    address: clientAddress(request.headers, services.config),
    ...(apiKey === null || conflicting ? {} : { apiKey }),
    ...(client === null || conflicting ? {} : { client }),
    ...(userId === null ? {} : { userId }),
    requestId,
  };
  const decision = await services.engine.admit(facts);
  const headers = decisionHeaders(decision, services.config.SLUICE_IETF_HEADERS);
  if (decision.refusal !== null) {
    const response = refusalResponse(decision, headers, accept, requestId, path);
    const refused = { status: response.status, headers: { ...headers, 'X-Request-Id': requestId } };
    return { decision, headers, response: refusedNavigation(request, refused, services.config) ?? response };
  }
  if (conflicting) {
    const error = new ApiError('invalid_request', 'The request names two different clients.', { headers });
    return { decision, headers, response: errorResponse(error, accept, requestId) };
  }
  return { decision, headers, response: null };
}

/** The answer to a refused request: body, `Retry-After` and limit headers. */
export function refusalResponse(
  decision: Decision,
  headers: Record<string, string>,
  accept: string | null,
  requestId: string,
  path: string,
): Response {
  const { body, ...init } = refusalAnswer(decision, headers, accept, requestId, path);
  return new Response(body, init);
}
