import type { Check, EndpointClass } from '@/client/api';
import { type CheckAnswer, unlimited } from '@/client/check-answer';
import { readAddress } from '@/lib/limiter/written-address';

type Maybe<T> = T | null | undefined;

/** Who sends a request, by one of the ways to know; null or undefined where it does not say. */
type KeyOf<Request> = (request: Request) => Maybe<string> | Promise<Maybe<string>>;

export interface LimitOptions<Request> {
  /** The endpoint class. Without it, Sluice's route rules classify the request by its method and path. */
  class?: EndpointClass | ((request: Request) => EndpointClass | undefined);
  /** Units that the request consumes; without it, those of its route rule, or 1. */
  cost?: number | ((request: Request) => number | undefined);
  /**
   * The address, with or without port, brackets and zone; `false` limits by no address. Frameworks that know the address have
   * it by default. One that is missing or cannot be read is left out; without user and key, such requests share one counter.
   */
  ip?: KeyOf<Request> | false;
  /** The user, whom the application has authenticated before. */
  user?: KeyOf<Request>;
  /** The secret of an API key, as the client sent it. A UUID is refused: it is no secret. */
  apiKey?: KeyOf<Request>;
  /** The UUID of an API key, which the application has verified itself. */
  apiKeyId?: KeyOf<Request>;
  /**
   * Which requests count, by the status that they are answered with: `failures` from 400 on (sign-ins, say), `successes`
   * below, or what a function says. The others count until they are answered, and are given back then. By default the
   * route rule says so.
   */
  counts?: 'all' | 'failures' | 'successes' | ((status: number) => boolean);
  /** Requests that are not limited. */
  skip?: (request: Request) => boolean | Promise<boolean>;
  /** Whether to send `X-RateLimit-*` and `X-Quota-*`. `Retry-After` comes with every refusal. `true` */
  headers?: boolean | ((request: Request) => boolean);
  /** The body of a refusal, in place of `{error, error_description}`; sent as JSON. */
  body?: (request: Request, answer: CheckAnswer) => unknown;
}

/** The options where the framework knows no address. */
export type WebLimitOptions<Request> = LimitOptions<Request> &
  ({ ip: KeyOf<Request> } | { user: KeyOf<Request> } | { apiKey: KeyOf<Request> } | { apiKeyId: KeyOf<Request> });

/** What an adapter needs of a client. */
export interface Checker {
  check(check: Check): Promise<CheckAnswer>;
  /** Gives back what a request consumed that does not count. */
  refund?(refund: { id: string }): PromiseLike<unknown>;
}

/** What an adapter reads of its framework's request. */
export interface Described {
  method: string;
  /** May carry a query, which nobody reads. */
  target: string;
  ip?: string | undefined;
  accept: string | null | undefined;
  /** Its `Origin` and `Access-Control-Request-Method` are those of a CORS preflight. */
  isPreflight?: boolean;
}

/** How a limited request is to be answered. */
export interface Limited {
  answer: CheckAnswer;
  /** To be set on the answer, whichever it becomes. */
  headers: Record<string, string>;
  /** The answer, where the request is refused. */
  refusal: { status: number; body: string } | null;
  /** To be called with the status of the answer, once it is known; null where it does not matter. */
  answered: ((status: number) => void) | null;
}

/** Whether a request is a CORS preflight. @param header reads a request header by its name in lower case; empty if absent */
export function isPreflightBy(method: string, header: (name: string) => unknown): boolean {
  return method === 'OPTIONS' && Boolean(header('origin')) && Boolean(header('access-control-request-method'));
}

/** The decision on a request of a framework; null where it is skipped. */
export async function limitRequest<Request>(
  sluice: Checker,
  options: LimitOptions<Request>,
  request: Request,
  described: Described,
): Promise<Limited | null> {
  if ((await options.skip?.(request)) === true) return null;
  const check = await checkOf(options, request, described);
  const answer = refusedHere(check) ?? (await sluice.check(check));
  const { headers: sent = true } = options;
  const limits = (typeof sent === 'function' ? sent(request) : sent) ? headersOf(answer) : {};
  if (answer.allowed) return { answer, headers: limits, refusal: null, answered: refunding(sluice, options, answer) };
  const status = statusOf(answer);
  const problem = /application\/problem\+json/i.test(described.accept ?? '');
  const headers: Record<string, string> = {
    ...limits,
    'Content-Type': problem ? 'application/problem+json' : 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  if (answer.retry_after !== undefined) headers['Retry-After'] = String(answer.retry_after);
  if (status === 401) headers['WWW-Authenticate'] = 'ApiKey realm="sluice"';
  const body = options.body === undefined ? bodyOf(answer, status, problem) : options.body(request, answer);
  return { answer, headers, refusal: { status, body: JSON.stringify(body) }, answered: null };
}

/** Gives back what a request consumed, once its status is known to be one that does not count. */
function refunding<Request>(sluice: Checker, { counts }: LimitOptions<Request>, answer: CheckAnswer) {
  const { id } = answer;
  const counted = counts ?? answer.counts ?? 'all';
  if (counted === 'all' || id === undefined || sluice.refund === undefined) return null;
  const matters =
    typeof counted === 'function' ? counted : (status: number) => status >= 400 === (counted === 'failures');
  return (status: number): void => {
    // A refund that fails leaves the request counted, which is what a limiter without refunds does.
    if (!matters(status)) Promise.resolve(sluice.refund?.({ id })).catch(() => undefined);
  };
}

/** @throws TypeError where nothing says whom to count */
export function requireKey<Request>({ ip, user, apiKey, apiKeyId }: LimitOptions<Request>): void {
  if ([ip, user, apiKey, apiKeyId].some((key) => typeof key === 'function')) return;
  throw new TypeError('`limit` needs `ip`, `user`, `apiKey` or `apiKeyId` to know whom it counts.');
}

async function checkOf<Request>(
  options: LimitOptions<Request>,
  request: Request,
  described: Described,
): Promise<Check> {
  const { ip, user, apiKey, apiKeyId, cost } = options;
  const check: Check = {
    method: described.method,
    path: pathOf(described.target),
  };
  if (described.isPreflight === true) check.preflight = true;
  if (options.counts !== undefined && options.counts !== 'all') check.refundable = true;
  const name = typeof options.class === 'function' ? options.class(request) : options.class;
  if (name !== undefined) check.class = name;
  const units = typeof cost === 'function' ? cost(request) : cost;
  if (units !== undefined) check.cost = units;
  const written = ip === false ? undefined : ip === undefined ? described.ip : await ip(request);
  const address = written == null ? null : readAddress(written);
  if (address !== null) check.ip = address.text;
  const userId = await user?.(request);
  if (userId != null) check.user_id = userId;
  const id = await apiKeyId?.(request);
  const key = id == null ? await apiKey?.(request) : undefined;
  // A decision for a key's UUID trusts the caller that it has verified the key.
  if (key != null) check.api_key = UUID.test(key) ? NO_SECRET : key;
  if (id != null) check.api_key = id;
  // Without anybody else to count, requests whose address is missing or cannot be read share one counter.
  const isByAddress = ip !== false && (ip !== undefined || 'ip' in described);
  if (isByAddress && address === null && userId == null && check.api_key === undefined) check.ip = UNKNOWN_ADDRESS;
  return check;
}

/** The path of a request target (RFC 9112, section 3.2), whichever form it has. */
function pathOf(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?].*$/s, '');
  return path.startsWith('/') ? path : '/';
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NO_SECRET = '';
/** The dummy address of IPv4 (RFC 7600 section 4.8), which no client has. */
const UNKNOWN_ADDRESS = '192.0.0.8';

/** What needs no server to be refused. */
function refusedHere(check: Check): CheckAnswer | null {
  const { ip, user_id, api_key } = check;
  if (api_key === NO_SECRET) {
    const error_description = 'The API key is unknown, revoked or expired.';
    return unlimited(check, { allowed: false, error: 'invalid_api_key', error_description });
  }
  if (ip !== undefined || user_id !== undefined || api_key !== undefined) return null;
  const error_description = 'The request names nobody whom a limit could count.';
  return unlimited(check, { allowed: false, error: 'invalid_request', error_description });
}

function headersOf({ status, limit, remaining, reset, quota }: CheckAnswer): Record<string, string> {
  const headers: Record<string, string> = {};
  if (status === 'unreachable') headers['X-RateLimit-Status'] = 'degraded';
  else if (status !== undefined && status !== 'remembered') headers['X-RateLimit-Status'] = status;
  if (limit !== null) {
    headers['X-RateLimit-Limit'] = String(limit);
    headers['X-RateLimit-Remaining'] = String(remaining);
    headers['X-RateLimit-Reset'] = String(reset);
  }
  if (quota === undefined) return headers;
  return {
    ...headers,
    'X-Quota-Limit': String(quota.limit),
    'X-Quota-Remaining': String(quota.remaining),
    'X-Quota-Reset': String(quota.reset),
  };
}

function statusOf({ error }: CheckAnswer): number {
  switch (error) {
    case 'invalid_request':
    case 'payload_too_large':
      return 400;
    case 'invalid_api_key':
      return 401;
    case 'service_unavailable':
      return 503;
    default:
      return 429;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** As Sluice itself refuses; with the members of RFC 9457 where the caller's `Accept` names them. */
function bodyOf({ error, error_description, details }: CheckAnswer, status: number, problem: boolean): unknown {
  const body = { error, error_description, ...(details === undefined || details.length === 0 ? {} : { details }) };
  if (!problem) return body;
  return { ...body, type: `urn:sluice:error:${error}`, title: TITLES[status], status, detail: error_description };
}
