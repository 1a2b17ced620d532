import { chooseDeviceCookieName, DEVICE_LIFETIME } from '@/lib/auth/device-cookie';
import type { AcceptInvitation, AuthAttempt, NextAuthServices, SignInWithProvider } from '@/lib/auth/next-auth/attempt';
import { callNextAuth } from '@/lib/auth/next-auth/options';
import { findProviderErrorFault } from '@/lib/auth/next-auth/provider-faults';
import { listConfiguredProviders } from '@/lib/auth/next-auth/providers';
import { findHiddenOrigin, isCrossSite, listOwnOrigins } from '@/lib/auth/same-origin';
import { parseCookies, readSession } from '@/lib/auth/session';
import { buildRefusedSignInUrl } from '@/lib/auth/sign-in-page';
import type { Database } from '@/lib/db/database';
import { convertDatabaseError } from '@/lib/db/errors';
import { readNewestRevision } from '@/lib/db/newest-revision';
import { ApiError, createMethodNotAllowed } from '@/lib/http/api-error';
import { buildErrorAnswer } from '@/lib/http/error-answer';
import { parseJson, readBytes, readMediaType } from '@/lib/http/json-body';
import { requestOrigin } from '@/lib/http/request-origin';

type Methods = Readonly<Record<string, readonly string[]>>;

/** Methods that read. Forms can only GET and POST. */
const READ = ['GET', 'HEAD'];
const READ_ONLY: Methods = { providers: READ, session: READ, csrf: READ, error: READ, signin: READ };
const ACTIONS: Methods = { ...READ_ONLY, signout: [...READ, 'POST'] };
const PASSWORD_ACTIONS: Methods = { signin: READ, callback: ['POST'] };
const PROVIDER_ACTIONS: Methods = { signin: [...READ, 'POST'], callback: ['GET'] };

/** Returns the methods of a path below `/api/auth/`. The result is empty if the path does not exist. */
function listMethods(path: readonly string[], config: NextAuthServices['config']): readonly string[] {
  const [action = '', provider, ...rest] = path;
  const isConfigured = listConfiguredProviders(config).some(({ id }) => id === provider);
  const others =
    provider === 'credentials' || provider === 'invitation' ? PASSWORD_ACTIONS : isConfigured ? PROVIDER_ACTIONS : {};
  const actions = provider === undefined ? ACTIONS : others;
  return (rest.length === 0 && Object.hasOwn(actions, action) && actions[action]) || [];
}

/** A request to `/api/auth/*`. */
export interface NextAuthCall {
  request: Request;
  /** Segments after `/api/auth/`. */
  path: readonly string[];
  requestId: string;
  /** The client's address in canonical form. Null if it is missing. */
  address: string | null;
  signInWithProvider: SignInWithProvider;
  acceptInvitation: AcceptInvitation;
}

/**
 * Answers `/api/auth/*`.
 *
 * next-auth takes its own origin from `X-Forwarded-Host` if `AUTH_TRUST_HOST` or `VERCEL` is set. `next.config.mjs`
 * fixes one of them in the bundle. This function sets that header from `requestOrigin`. No client's header is trusted,
 * and no variable has to name the host.
 *
 * @throws ApiError forbidden (cross-site, or without next-auth's CSRF token), not_found, method_not_allowed, ...
 * @throws DatabaseUnavailable, StoreUnavailable
 */
export async function handleNextAuth(call: NextAuthCall, services: NextAuthServices): Promise<Response> {
  const { request, path, requestId, address } = call;
  const { config, logger } = services;
  const methods = listMethods(path, config);
  if (methods.length === 0) throw new ApiError('not_found', 'There is no such resource.');
  const Allow = [...methods, 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow } });
  if (!methods.includes(request.method)) throw createMethodNotAllowed(Allow);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  if (method === 'POST' && isCrossSite(request, config)) throw createCrossSiteError(call, services);

  const [action = '', provider] = path;
  const origin = new URL(requestOrigin(request, config));
  const query = readQuery(request, origin);
  if (action === 'callback' && query.error !== undefined) {
    const { refusal, advice } = findProviderErrorFault(query.error);
    // Any site can send a browser here with any error, so this is not a warning.
    logger.info({ requestId, refusal, provider, reason: query.error, advice, address }, 'sign-in refused');
    const Location = buildRefusedSignInUrl(origin.origin, refusal);
    return new Response(null, { status: 302, headers: { Location, 'Cache-Control': 'no-store' } });
  }

  const cookieHeader = request.headers.get('cookie');
  const secure = origin.protocol === 'https:';
  const attempt: AuthAttempt = {
    services,
    signInWithProvider: call.signInWithProvider,
    acceptInvitation: call.acceptInvitation,
    requestId,
    since: action === 'callback' ? await readRevision(services.database) : 0,
    address,
    userAgent: request.headers.get('user-agent'),
    deviceCookie: parseCookies(cookieHeader).get(chooseDeviceCookieName(secure)) ?? null,
    session: action === 'callback' ? await readSession(cookieHeader, services) : null,
  };
  // next-auth's sign-in page treats a provider in its path as an error.
  const nextauth = method === 'GET' && action === 'signin' ? [action] : [...path];
  const { host } = origin;
  const own = { host, 'x-forwarded-host': host, 'x-forwarded-proto': origin.protocol.slice(0, -1) };
  const form = method === 'POST' ? await readForm(request) : undefined;
  // With `json`, next-auth answers a redirect as JSON. `buildScriptResponse` does that instead.
  const body = form && { ...form, json: '' };
  const cookies = readCookies(cookieHeader, origin);
  const sent = { method, query: { ...query, nextauth }, headers: own, cookies, body };
  const answer = await callNextAuth(attempt, sent, secure);
  if (attempt.fault !== undefined) throw attempt.fault;
  const location = answer.headers.get('Location');
  if (answer.status >= 400 && location === null)
    throw new ApiError('internal_error', 'Something went wrong on our side.');
  if (method === 'POST' && location !== null && new URL(location, origin).searchParams.get('csrf') === 'true')
    throw new ApiError('forbidden', "The form's CSRF token is missing or wrong.");
  if (attempt.newDeviceCookie !== undefined) {
    const attributes = `Path=/api/auth; Max-Age=${DEVICE_LIFETIME}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    answer.headers.append('Set-Cookie', `${chooseDeviceCookieName(secure)}=${attempt.newDeviceCookie}; ${attributes}`);
  }
  const target = attempt.refusal === undefined ? location : buildRefusedSignInUrl(origin.origin, attempt.refusal);
  const refused = attempt.rejection && buildErrorAnswer(attempt.rejection, request.headers.get('accept'), requestId);
  if (target !== null && form?.json === 'true') return buildScriptResponse(answer.headers, target, refused);
  if (target !== null) answer.headers.set('Location', target);
  const wait = refused?.headers['Retry-After'];
  if (wait !== undefined) answer.headers.set('Retry-After', wait);
  const { status, headers } = answer;
  return new Response(request.method === 'HEAD' ? null : answer.body, { status, headers });
}

/** @throws DatabaseUnavailable */
async function readRevision(database: Database): Promise<number> {
  try {
    return (await readNewestRevision(database))?.seq ?? 0;
  } catch (error) {
    throw convertDatabaseError(error);
  }
}

/** Answers a script with JSON in place of a redirect, whether it is refused or not. next-auth's client reads `url`. */
function buildScriptResponse(
  headers: Headers,
  url: string,
  refused: ReturnType<typeof buildErrorAnswer> | undefined,
): Response {
  headers.delete('Location');
  headers.set('Content-Type', 'application/json; charset=utf-8');
  for (const [name, value] of Object.entries(refused?.headers ?? {})) headers.set(name, value);
  return Response.json({ ...JSON.parse(refused?.body ?? '{}'), url }, { status: refused?.status ?? 200, headers });
}

/** Builds the error for a form from another site, or through a proxy that is not configured. */
function createCrossSiteError({ request, requestId }: NextAuthCall, { config, logger }: NextAuthServices): ApiError {
  const page = findHiddenOrigin(request, config);
  if (page === null) return new ApiError('forbidden', 'Signing in and out must come from this site itself.');
  logger.warn(
    { requestId, page, seen: listOwnOrigins(request, config) },
    'sign-in refused: the browser and Sluice see different origins for this site; set SLUICE_PUBLIC_URL to that of the page, or SLUICE_TRUSTED_PROXIES to the addresses of the proxy',
  );
  return new ApiError(
    'forbidden',
    'The browser and Sluice see different origins for this site: set SLUICE_PUBLIC_URL or SLUICE_TRUSTED_PROXIES.',
  );
}

const ERROR_CODE = /^[\w:-]{1,64}$/;

/** @throws ApiError bad_request, invalid_request, payload_too_large, unsupported_media_type */
async function readForm(request: Request): Promise<Record<string, string>> {
  const bytes = await readBytes(request);
  if (readMediaType(request) === 'application/x-www-form-urlencoded')
    return Object.fromEntries(new URLSearchParams(Buffer.from(bytes).toString('utf8')));
  if (readMediaType(request) !== 'application/json') {
    throw new ApiError('unsupported_media_type', 'The body must be a form or a JSON object.');
  }
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null)
    throw new ApiError('invalid_request', 'The body must be a form or a JSON object.');
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Reads the query without values that make next-auth fail. */
function readQuery(request: Request, origin: URL): Record<string, string> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  delete query.nextauth;
  if (query.callbackUrl !== undefined && !isHttp(query.callbackUrl, origin)) delete query.callbackUrl;
  if (query.error !== undefined && !ERROR_CODE.test(query.error)) query.error = 'Default';
  return query;
}

/** Reads next-auth's cookies, without a malformed callback URL. */
function readCookies(header: string | null, origin: URL): Record<string, string> {
  const own = [...parseCookies(header)].filter(([name]) => /^(?:__Secure-|__Host-)?next-auth\./.test(name));
  const cookies = own.map(([name, value]) => [name, decodeSegment(value)] as const);
  const isUsable = (name: string, text: string) => !name.endsWith('next-auth.callback-url') || isHttp(text, origin);
  return Object.fromEntries(cookies.filter(([name, text]) => isUsable(name, text)));
}

function decodeSegment(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Returns whether next-auth can read a callback URL: one with a scheme of the web, or a path of our own. */
function isHttp(url: string, origin: URL): boolean {
  const base = url.startsWith('/') ? origin : undefined;
  return URL.canParse(url, base) && ['http:', 'https:'].includes(new URL(url, base).protocol);
}
