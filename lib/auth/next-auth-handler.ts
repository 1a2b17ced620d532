import NextAuth, { type AuthOptions } from 'next-auth';
import { type AuthAttempt, nextAuthOptions } from '@/lib/auth/next-auth-options';
import { isCrossSite } from '@/lib/auth/same-origin';
import { readSession } from '@/lib/auth/session';
import { parseCookies } from '@/lib/auth/session-cookie';
import { ApiError } from '@/lib/http/api-error';
import { clientAddress } from '@/lib/http/client-address';
import { mediaType, readBytes } from '@/lib/http/json-body';
import { requestOrigin } from '@/lib/http/request-origin';
import type { Services } from '@/lib/services';

/** What next-auth 4 reads of a request, in the form of its Pages API. */
interface NextAuthRequest {
  method: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  cookies: Record<string, string>;
  body: Record<string, string> | undefined;
}

/** What next-auth 4 does to a response, in the form of its Pages API. */
interface NextAuthResponse {
  status(code: number): NextAuthResponse;
  setHeader(name: string, value: string | string[]): NextAuthResponse;
  getHeader(name: string): string | string[] | undefined;
  json(body: unknown): void;
  send(body: unknown): void;
  end(): void;
}

// The overload for the Pages API, without the types of next: every header that counts is then ours to give.
const nextAuth = NextAuth as unknown as (
  request: NextAuthRequest,
  response: NextAuthResponse,
  options: AuthOptions,
) => Promise<void>;

const ACTIONS: Record<string, readonly string[]> = {
  GET: ['providers', 'session', 'csrf', 'signin', 'signout', 'callback', 'error'],
  POST: ['signin', 'signout', 'callback'],
};

const ERROR_CODE = /^[\w:-]{1,64}$/;

/**
 * Answers `/api/auth/*`.
 *
 * next-auth takes its own address from `NEXTAUTH_URL`, or from `X-Forwarded-Host` when it is told to trust that. Here it
 * is told to trust it, and given a header that we have made from `requestOrigin`: so no variable is needed on any host
 * and port, and no stranger's header is believed.
 *
 * @param path the segments after `/api/auth/`
 * @throws ApiError forbidden (cross-site, or without next-auth's CSRF token), not_found, method_not_allowed, ...
 * @throws DatabaseUnavailable, StoreUnavailable
 */
export async function handleNextAuth(request: Request, path: readonly string[], services: Services): Promise<Response> {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const [action = '', provider] = path;
  if (path.length > 2) throw new ApiError('not_found', 'There is nothing here.');
  if (!(ACTIONS[method] ?? []).includes(action)) {
    const allow = Object.keys(ACTIONS).filter((one) => ACTIONS[one]?.includes(action));
    if (allow.length === 0) throw new ApiError('not_found', 'There is nothing here.');
    throw new ApiError('method_not_allowed', `This resource answers ${allow.join(', ')}.`, {
      headers: { Allow: allow.join(', ') },
    });
  }
  if (method === 'POST' && isCrossSite(request, services.config)) {
    throw new ApiError('forbidden', 'Signing in and out must come from this site itself.');
  }

  const origin = new URL(requestOrigin(request, services.config));
  const cookieHeader = request.headers.get('cookie');
  const attempt: AuthAttempt = {
    address: clientAddress(request.headers, services.config)?.text ?? null,
    userAgent: request.headers.get('user-agent'),
    present: action === 'callback' ? await readSession(cookieHeader, services) : null,
    member: null,
    lockedFor: null,
    fault: null,
  };
  const body = method === 'POST' ? await readForm(request) : undefined;
  const answer = new Answer();
  // Read by next-auth in the same turn of the event loop as the call below.
  process.env.AUTH_TRUST_HOST = 'true';
  delete process.env.NEXTAUTH_URL;
  await nextAuth(
    {
      method,
      query: { ...readQuery(request, origin), nextauth: provider === undefined ? [action] : [action, provider] },
      headers: {
        host: origin.host,
        'x-forwarded-host': origin.host,
        'x-forwarded-proto': origin.protocol.slice(0, -1),
      },
      cookies: readCookies(cookieHeader, origin),
      body,
    },
    answer,
    nextAuthOptions(services, attempt, origin.protocol === 'https:'),
  );

  if (attempt.fault !== null) throw attempt.fault;
  const location = answer.location();
  if (method === 'POST' && location?.searchParams.get('csrf') === 'true') {
    throw new ApiError('forbidden', "The form's CSRF token is missing or wrong.");
  }
  if (attempt.lockedFor !== null) answer.lock(attempt.lockedFor);
  return answer.response(request.method === 'HEAD');
}

async function readForm(request: Request): Promise<Record<string, string>> {
  const bytes = await readBytes(request);
  const text = new TextDecoder('utf-8').decode(bytes);
  if (mediaType(request) === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text));
  if (mediaType(request) !== 'application/json') {
    throw new ApiError('unsupported_media_type', 'The body must be a form or a JSON object.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('bad_request', 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null)
    throw new ApiError('invalid_request', 'The body must be a form or a JSON object.');
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The query without what next-auth would stumble over. */
function readQuery(request: Request, origin: URL): Record<string, string> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  delete query.nextauth;
  if (query.callbackUrl !== undefined && !isHttp(query.callbackUrl, origin)) delete query.callbackUrl;
  if (query.error !== undefined && !ERROR_CODE.test(query.error)) query.error = 'Default';
  return query;
}

function readCookies(header: string | null, origin: URL): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const [name, value] of parseCookies(header)) {
    if (!/^(?:__Secure-|__Host-)?next-auth\./.test(name)) continue;
    const text = decoded(value);
    if (name.endsWith('next-auth.callback-url') && !isHttp(text, origin)) continue;
    cookies[name] = text;
  }
  return cookies;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function isHttp(url: string, origin: URL): boolean {
  return URL.canParse(url, origin) && ['http:', 'https:'].includes(new URL(url, origin).protocol);
}

/** Collects what next-auth answers. */
class Answer implements NextAuthResponse {
  #status = 200;
  #body: string | null = null;
  readonly #headers = new Map<string, string | string[]>([
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
  ]);

  status(code: number): this {
    this.#status = code;
    return this;
  }

  setHeader(name: string, value: string | string[]): this {
    this.#headers.set(name.toLowerCase(), value);
    return this;
  }

  getHeader(name: string): string | string[] | undefined {
    return this.#headers.get(name.toLowerCase());
  }

  json(body: unknown): void {
    this.setHeader('content-type', 'application/json; charset=utf-8');
    this.#body = JSON.stringify(body);
  }

  send(body: unknown): void {
    if (typeof body === 'string') this.#body = body;
    else if (body !== undefined && body !== null) this.json(body);
  }

  end(): void {}

  /** Where the answer leads: by redirect, or by the `url` of its JSON. */
  location(): URL | null {
    const header = this.getHeader('location');
    const target = typeof header === 'string' ? header : this.#url();
    return target !== null && URL.canParse(target, 'http://relative.invalid')
      ? new URL(target, 'http://relative.invalid')
      : null;
  }

  /** Says how long to wait; a script's call becomes 429, a form still leads to the sign-in page. */
  lock(seconds: number): void {
    this.setHeader('retry-after', String(seconds));
    if (this.#url() !== null) this.#status = 429;
  }

  response(withoutBody: boolean): Response {
    const headers = new Headers();
    for (const [name, value] of this.#headers)
      for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
    return new Response(withoutBody ? null : this.#body, { status: this.#status, headers });
  }

  #url(): string | null {
    if (this.#body === null || !this.#body.startsWith('{')) return null;
    const value: unknown = JSON.parse(this.#body);
    return typeof value === 'object' && value !== null && 'url' in value && typeof value.url === 'string'
      ? value.url
      : null;
  }
}
