import { DEVICE_LIFETIME, deviceCookieName } from '@/lib/auth/device-cookie';
import {
  type AuthAttempt,
  configuredProviders,
  duringAttempt,
  type NextAuthServices,
  nextAuthOptions,
  type SignInWithProvider,
} from '@/lib/auth/next-auth/options';
import { callNextAuth, type NextAuthAnswer, readCookies, readForm, readQuery } from '@/lib/auth/next-auth/pages-api';
import { refusalOfProviderError } from '@/lib/auth/provider-fault';
import { hiddenOrigin, isCrossSite, ownOrigins } from '@/lib/auth/same-origin';
import { readSession } from '@/lib/auth/session';
import { parseCookies } from '@/lib/auth/session-cookie';
import { refusedSignInUrl } from '@/lib/auth/sign-in-page';
import { ApiError } from '@/lib/http/api-error';
import { clientAddress } from '@/lib/http/client-address';
import { requestOrigin } from '@/lib/http/request-origin';

type Methods = Readonly<Record<string, readonly string[]>>;

/** The methods of each action without a provider, with the password, and with another provider. A form can only GET and POST. */
const ACTIONS: Methods = {
  providers: ['GET', 'HEAD'],
  session: ['GET', 'HEAD'],
  csrf: ['GET', 'HEAD'],
  error: ['GET', 'HEAD'],
  signin: ['GET', 'HEAD'],
  signout: ['GET', 'HEAD', 'POST'],
};
const PASSWORD_ACTIONS: Methods = { signin: ['GET', 'HEAD'], callback: ['POST'] };
const PROVIDER_ACTIONS: Methods = { signin: ['GET', 'HEAD', 'POST'], callback: ['GET'] };

/** The methods of a path below `/api/auth/`; empty for an unknown path. */
function methodsOf(path: readonly string[], config: NextAuthServices['config']): readonly string[] {
  const [action = '', provider, ...rest] = path;
  const isConfigured = configuredProviders(config).some(({ id }) => id === provider);
  const others = provider === 'credentials' ? PASSWORD_ACTIONS : isConfigured ? PROVIDER_ACTIONS : {};
  const actions = provider === undefined ? ACTIONS : others;
  return (rest.length === 0 && Object.hasOwn(actions, action) && actions[action]) || [];
}

/** A request to `/api/auth/*`. */
export interface NextAuthCall {
  request: Request;
  /** The segments after `/api/auth/`. */
  path: readonly string[];
  requestId: string;
  signInWithProvider: SignInWithProvider;
}

/**
 * Answers `/api/auth/*`.
 *
 * next-auth takes its own origin from `X-Forwarded-Host` when `AUTH_TRUST_HOST` or `VERCEL` is set, which
 * `next.config.mjs` fixes in the bundle. It gets that header from here alone, made from `requestOrigin`: no client's
 * header is believed, and no variable has to name the host.
 *
 * @throws ApiError forbidden (cross-site, or without next-auth's CSRF token), not_found, method_not_allowed, ...
 * @throws DatabaseUnavailable, StoreUnavailable
 */
export async function handleNextAuth(call: NextAuthCall, services: NextAuthServices): Promise<Response> {
  const { request, path, requestId } = call;
  const { config, logger } = services;
  const methods = methodsOf(path, config);
  if (methods.length === 0) throw new ApiError('not_found', 'There is no such resource.');
  const headers = { Allow: [...methods, 'OPTIONS'].join(', ') };
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers });
  if (!methods.includes(request.method))
    throw new ApiError('method_not_allowed', `This resource answers ${headers.Allow}.`, { headers });
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (method === 'POST' && isCrossSite(request, config)) throw crossSite(request, services);

  const [action = '', provider] = path;
  const origin = new URL(requestOrigin(request, config));
  const query = readQuery(request, origin);
  const address = clientAddress(request.headers, config)?.text ?? null;
  if (action === 'callback' && query.error !== undefined) {
    const refusal = refusalOfProviderError(query.error);
    logger.info({ refusal, provider, reason: query.error, address }, 'sign-in refused');
    const Location = refusedSignInUrl(origin.origin, refusal);
    return new Response(null, { status: 302, headers: { Location, 'Cache-Control': 'no-store' } });
  }

  const cookieHeader = request.headers.get('cookie');
  const secure = origin.protocol === 'https:';
  const attempt: AuthAttempt = {
    services,
    signInWithProvider: call.signInWithProvider,
    address,
    userAgent: request.headers.get('user-agent'),
    deviceCookie: parseCookies(cookieHeader).get(deviceCookieName(secure)) ?? null,
    session: action === 'callback' ? await readSession(cookieHeader, services) : null,
    member: null,
    newDeviceCookie: null,
    rejection: null,
    refusal: null,
    fault: null,
  };
  // next-auth's sign-in page takes a provider in its path for an error.
  const nextauth = method === 'GET' && action === 'signin' ? [action] : [...path];
  const body = method === 'POST' ? await readForm(request) : undefined;
  const host = {
    host: origin.host,
    'x-forwarded-host': origin.host,
    'x-forwarded-proto': origin.protocol.slice(0, -1),
  };
  const cookies = readCookies(cookieHeader, origin);
  const answer = await duringAttempt(attempt, () =>
    callNextAuth(
      { method, query: { ...query, nextauth }, headers: host, cookies, body },
      nextAuthOptions(attempt, secure),
    ),
  );
  if (attempt.fault !== null) throw attempt.fault;
  refuseMissingToken(answer, method, origin);
  if (attempt.refusal !== null) answer.redirectTo(refusedSignInUrl(origin.origin, attempt.refusal));
  if (attempt.rejection !== null) answer.refuse(attempt.rejection, request.headers.get('accept'), requestId);
  if (attempt.newDeviceCookie !== null) {
    const attributes = `Path=/api/auth; Max-Age=${DEVICE_LIFETIME}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    answer.addCookie(`${deviceCookieName(secure)}=${attempt.newDeviceCookie}; ${attributes}`);
  }
  return answer.response(request.method === 'HEAD');
}

/** @throws ApiError forbidden without next-auth's CSRF token, internal_error for its other errors */
function refuseMissingToken(answer: NextAuthAnswer, method: string, origin: URL): void {
  if (answer.isPlainError) throw new ApiError('internal_error', 'Something went wrong on our side.');
  const target = answer.target();
  if (method === 'POST' && target !== null && new URL(target, origin).searchParams.get('csrf') === 'true')
    throw new ApiError('forbidden', "The form's CSRF token is missing or wrong.");
}

/** The error for a form from another site, or through a proxy that is not configured. */
function crossSite(request: Request, { config, logger }: NextAuthServices): ApiError {
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
