import NextAuth, { type AuthOptions } from 'next-auth';
import { ANONYMOUS } from '@/lib/auth/actor';
import { DEVICE_LIFETIME, deviceCookieName } from '@/lib/auth/device-cookie';
import { NextAuthAnswer, type NextAuthResponse } from '@/lib/auth/next-auth/answer';
import { type AuthAttempt, configuredProviders, duringAttempt, nextAuthOptions } from '@/lib/auth/next-auth/options';
import { type NextAuthRequest, readCookies, readForm, readQuery } from '@/lib/auth/next-auth/request';
import { refusalOfProviderError } from '@/lib/auth/provider-fault';
import { hiddenOrigin, isCrossSite, ownOrigins } from '@/lib/auth/same-origin';
import { readSession } from '@/lib/auth/session';
import { parseCookies } from '@/lib/auth/session-cookie';
import { refusedSignInUrl } from '@/lib/auth/sign-in-page';
import { ApiError } from '@/lib/http/api-error';
import { clientAddress } from '@/lib/http/client-address';
import { requestOrigin } from '@/lib/http/request-origin';
import { systemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';

// The overload for the Pages API, without the types of next: every header that counts is then ours to give.
const nextAuth = NextAuth as unknown as (
  request: NextAuthRequest,
  response: NextAuthResponse,
  options: AuthOptions,
) => Promise<void>;

/** The methods of each action without a provider, and of the two with one. A form can only GET and POST. */
const ACTIONS: Record<string, readonly string[]> = {
  providers: ['GET', 'HEAD'],
  session: ['GET', 'HEAD'],
  csrf: ['GET', 'HEAD'],
  error: ['GET', 'HEAD'],
  signin: ['GET', 'HEAD'],
  signout: ['GET', 'HEAD', 'POST'],
};
const PASSWORD_ACTIONS: Record<string, readonly string[]> = { signin: ['GET', 'HEAD'], callback: ['POST'] };
const PROVIDER_ACTIONS: Record<string, readonly string[]> = { signin: ['GET', 'HEAD', 'POST'], callback: ['GET'] };

/** The methods of a path below `/api/auth/`, none where there is nothing. */
function methodsOf([action = '', provider, ...rest]: readonly string[], config: Services['config']): readonly string[] {
  if (rest.length > 0) return [];
  if (provider === undefined) return (Object.hasOwn(ACTIONS, action) && ACTIONS[action]) || [];
  const known = configuredProviders(config).some(({ id }) => id === provider);
  const actions = provider === 'credentials' ? PASSWORD_ACTIONS : known ? PROVIDER_ACTIONS : {};
  return (Object.hasOwn(actions, action) && actions[action]) || [];
}

/**
 * Answers `/api/auth/*`.
 *
 * next-auth takes its own address from `NEXTAUTH_URL`, or from `X-Forwarded-Host` when a variable tells it to trust that.
 * `next.config.mjs` fixes these variables in the bundle, and here it is given a header that we have made from
 * `requestOrigin`: so no variable is needed on any host and port, and no stranger's header is believed.
 *
 * @param path the segments after `/api/auth/`
 * @throws ApiError forbidden (cross-site, or without next-auth's CSRF token), not_found, method_not_allowed, ...
 * @throws DatabaseUnavailable, StoreUnavailable
 */
export async function handleNextAuth(
  request: Request,
  path: readonly string[],
  services: Services,
  requestId: string,
): Promise<Response> {
  const { config, logger } = services;
  const methods = methodsOf(path, config);
  if (methods.length === 0) throw new ApiError('not_found', 'There is no such resource.');
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } });
  if (!methods.includes(request.method)) {
    throw new ApiError('method_not_allowed', `This resource answers ${allow}.`, { headers: { Allow: allow } });
  }
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (method === 'POST' && isCrossSite(request, config)) throw crossSite(request, services);

  const [action = '', provider] = path;
  const origin = new URL(requestOrigin(request, config));
  const query = readQuery(request, origin);
  const address = clientAddress(request.headers, config)?.text ?? null;
  if (action === 'callback' && query.error !== undefined) {
    const refusal = refusalOfProviderError(query.error);
    logger.info({ refusal, provider, reason: query.error, address }, 'sign-in refused');
    const headers = { Location: refusedSignInUrl(origin.origin, refusal), 'Cache-Control': 'no-store' };
    return new Response(null, { status: 302, headers });
  }

  const cookieHeader = request.headers.get('cookie');
  const secure = origin.protocol === 'https:';
  const attempt: AuthAttempt = {
    context: { ...systemContext(services), actor: ANONYMOUS, requestId, address },
    userAgent: request.headers.get('user-agent'),
    deviceCookie: parseCookies(cookieHeader).get(deviceCookieName(secure)) ?? null,
    present: action === 'callback' ? await readSession(cookieHeader, services) : null,
    member: null,
    newDeviceCookie: null,
    rejection: null,
    refusal: null,
    fault: null,
  };
  const call = {
    method,
    // The page that next-auth's sign-in leads to takes the provider for an error.
    query: {
      ...query,
      nextauth: provider === undefined || (method === 'GET' && action === 'signin') ? [action] : [action, provider],
    },
    headers: { host: origin.host, 'x-forwarded-host': origin.host, 'x-forwarded-proto': origin.protocol.slice(0, -1) },
    cookies: readCookies(cookieHeader, origin),
    body: method === 'POST' ? await readForm(request) : undefined,
  };
  const answer = new NextAuthAnswer();
  await duringAttempt(attempt, () => nextAuth(call, answer, nextAuthOptions(services, attempt, secure)));
  finish(answer, attempt, origin, request);
  return answer.response(request.method === 'HEAD');
}

/** Makes what next-auth has answered ours. @throws ApiError forbidden, internal_error, and what a callback threw */
function finish(answer: NextAuthAnswer, attempt: AuthAttempt, origin: URL, request: Request): void {
  const { fault, refusal, rejection, newDeviceCookie, context } = attempt;
  if (fault !== null) throw fault;
  if (answer.isBareRefusal) throw new ApiError('internal_error', 'Something went wrong on our side.');
  const target = answer.target();
  const asksForToken = target !== null && new URL(target, origin).searchParams.get('csrf') === 'true';
  if (request.method === 'POST' && asksForToken)
    throw new ApiError('forbidden', "The form's CSRF token is missing or wrong.");
  if (refusal !== null) answer.leadTo(refusedSignInUrl(origin.origin, refusal));
  if (rejection !== null) answer.refuse(rejection, request.headers.get('accept'), context.requestId);
  if (newDeviceCookie !== null) {
    const secure = origin.protocol === 'https:';
    const attributes = `Path=/api/auth; Max-Age=${DEVICE_LIFETIME}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    answer.addCookie(`${deviceCookieName(secure)}=${newDeviceCookie}; ${attributes}`);
  }
}

/** The refusal of a form that another site sent, or that comes through a proxy which we were not told of. */
function crossSite(request: Request, { config, logger }: Services): ApiError {
  const page = hiddenOrigin(request, config);
  if (page === null) return new ApiError('forbidden', 'Signing in and out must come from this site itself.');
  logger.warn(
    { page, seen: ownOrigins(request, config) },
    'sign-in refused: the browser reaches this site under an origin that Sluice does not see; set SLUICE_PUBLIC_URL to it, or SLUICE_TRUSTED_PROXIES to the addresses of the proxy',
  );
  return new ApiError(
    'forbidden',
    'The browser reaches this site under an origin that Sluice does not see: set SLUICE_PUBLIC_URL or SLUICE_TRUSTED_PROXIES.',
  );
}
