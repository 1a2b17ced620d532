import { buildBody, buildHeaders, chooseStatus } from '@/client/adapters/answer-parts';
import type { Check, EndpointClass } from '@/client/api';
import { answerUnlimited, type CheckAnswer, isByLimitsOnly } from '@/client/check-answer';
import { readAddress } from '@/lib/limiter/written-address';

type Maybe<T> = T | null | undefined;

/** Returns one identity of the sender. Null, undefined or empty if the request has none. */
type KeyOf<Request> = (request: Request) => Maybe<string> | Promise<Maybe<string>>;

/**
 * Reads an identity. Koa has an empty text for a header that is missing. Ids of databases are often numbers, which
 * programs without types return.
 */
async function readKey<Request>(key: KeyOf<Request> | undefined, request: Request): Promise<string | undefined> {
  const value = await key?.(request);
  return value == null || value === '' ? undefined : String(value);
}

/** A named limit of a request. */
interface RequestLimit<Request> {
  name: string;
  /**
   * Subject of the limit, such as a phone number. The limit does not apply if it is null, undefined or empty. Without
   * this function the API key is counted.
   */
  subject?: KeyOf<Request>;
  /** Units that the request consumes. Default: 1. */
  cost?: number | ((request: Request) => number | undefined);
}

export interface LimitOptions<Request> {
  /**
   * Endpoint class. By default, Sluice's route rules classify the request by method and path. With `false`, only the
   * named limits decide.
   */
  class?: EndpointClass | false | ((request: Request) => EndpointClass | undefined);
  /** Named limits, at most 8. Places in flight are free when the answer has ended. */
  limits?: readonly RequestLimit<Request>[] | ((request: Request) => readonly RequestLimit<Request>[]);
  /** Units that the request consumes. The default comes from its route rule, or is 1. */
  cost?: number | ((request: Request) => number | undefined);
  /**
   * Client address, with or without port, brackets and zone. `false` disables limits by address. Frameworks that
   * provide an address use it by default. A missing or invalid address is omitted; without user and key, such requests
   * share one counter.
   */
  ip?: KeyOf<Request> | false;
  /** User, as authenticated by the application. */
  user?: KeyOf<Request>;
  /** Secret of an API key, as the client sent it. A UUID is refused, because it is not a secret. */
  apiKey?: KeyOf<Request>;
  /** UUID of an API key that the application has verified itself. */
  apiKeyId?: KeyOf<Request>;
  /**
   * Selects the requests that count, by response status: `failures` from 400 on (for example sign-ins), `successes`
   * below, or a function. Other requests count until they are answered and are then refunded. The default comes from
   * the route rule.
   */
  counts?: 'all' | 'failures' | 'successes' | ((status: number) => boolean);
  /** Requests that are not limited. */
  skip?: (request: Request) => boolean | Promise<boolean>;
  /** Enables `X-RateLimit-*` and `X-Quota-*`. Every refusal has `Retry-After`. Default: `true`. */
  headers?: boolean | ((request: Request) => boolean);
  /** Body of a refusal, sent as JSON instead of `{error, error_description}`. */
  body?: (request: Request, answer: CheckAnswer) => unknown;
}

/** Options for frameworks that provide no address. */
export type WebLimitOptions<Request> = LimitOptions<Request> &
  (
    | { ip: KeyOf<Request> }
    | { user: KeyOf<Request> }
    | { apiKey: KeyOf<Request> }
    | { apiKeyId: KeyOf<Request> }
    | { class: false; limits: NonNullable<LimitOptions<Request>['limits']> }
  );

/** Methods of the client that an adapter uses. */
export interface Checker {
  check(check: Check): Promise<CheckAnswer>;
  /** Refunds a request that does not count. */
  refund?(refund: { id: string }): PromiseLike<unknown>;
  /** Frees the places of a request. */
  settle?(id: string): PromiseLike<unknown>;
}

/** Data that an adapter reads from its framework's request. */
export interface Described {
  method: string;
  /** Request target. A query is ignored. */
  target: string;
  ip?: string | undefined;
  accept: string | null | undefined;
  /** True if `Origin` and `Access-Control-Request-Method` mark a CORS preflight. */
  isPreflight?: boolean;
}

/** Instructions for answering a limited request. */
export interface Limited {
  answer: CheckAnswer;
  /** Headers to set on any answer. */
  headers: Record<string, string>;
  /** The refusal, or null if the request is allowed. */
  refusal: { status: number; body: string } | null;
  /**
   * Call it when the answer has ended, with its status; null if it was aborted. Only the first call counts. Null if the
   * end does not matter.
   */
  recordEnd: ((status: number | null) => void) | null;
  /** True if the request may hold places in flight until its answer has ended. */
  mayHoldPlaces: boolean;
}

/**
 * True if a request is a CORS preflight. @param header reads a request header by its lower-case name; empty if absent
 */
export function isPreflightBy(method: string, header: (name: string) => unknown): boolean {
  return method === 'OPTIONS' && Boolean(header('origin')) && Boolean(header('access-control-request-method'));
}

/** Decides a framework's request. Null if it is skipped. */
export async function limitRequest<Request>(
  sluice: Checker,
  options: LimitOptions<Request>,
  request: Request,
  described: Described,
): Promise<Limited | null> {
  if ((await options.skip?.(request)) === true) return null;
  const check = await buildCheck(options, request, described);
  // No limit applies.
  if (check === null) return null;
  const answer = refuseLocally(check) ?? (await sluice.check(check));
  const { headers: sent = true } = options;
  const limits = (typeof sent === 'function' ? sent(request) : sent) ? buildHeaders(answer) : {};
  if (answer.allowed) return { answer, headers: limits, refusal: null, ...createEnd(sluice, options, answer) };
  const status = chooseStatus(answer);
  const problem = /application\/problem\+json/i.test(described.accept ?? '');
  const headers: Record<string, string> = {
    ...limits,
    'Content-Type': problem ? 'application/problem+json' : 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  if (answer.retry_after !== undefined) headers['Retry-After'] = String(answer.retry_after);
  if (status === 401) headers['WWW-Authenticate'] = 'ApiKey realm="sluice"';
  const body = options.body === undefined ? buildBody(answer, status, problem) : options.body(request, answer);
  return { answer, headers, refusal: { status, body: JSON.stringify(body) }, ...NO_END };
}

/** Fields of Node's response that the adapters use. */
export interface ServedResponse {
  statusCode: number;
  writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Calls `recordEnd` when a response has ended, or its client has left. */
export function callOnceEnded(response: ServedResponse, { recordEnd }: Limited): void {
  if (recordEnd === null) return;
  response.once('close', () => recordEnd(response.writableFinished ? response.statusCode : null));
}

/** Returns a function that refunds the request if its status does not count, and otherwise frees its places. */
function createEnd<Request>(
  sluice: Checker,
  { counts }: LimitOptions<Request>,
  answer: CheckAnswer,
): Pick<Limited, 'recordEnd' | 'mayHoldPlaces'> {
  const { id } = answer;
  const counted = counts ?? answer.counts ?? 'all';
  // Only named limits have places.
  const mayHoldPlaces = answer.limits !== undefined && sluice.settle !== undefined;
  const mayRefund = counted !== 'all' && sluice.refund !== undefined;
  if (id === undefined || !(mayHoldPlaces || mayRefund)) return NO_END;
  let hasEnded = false;
  const recordEnd = (status: number | null) => {
    if (hasEnded) return;
    hasEnded = true;
    const isRefunded = mayRefund && status !== null && !isCounted(counted, status);
    const sent = isRefunded ? sluice.refund?.({ id }) : mayHoldPlaces ? sluice.settle?.(id) : undefined;
    // A failure is ignored: the request stays counted, and its places are free when their lease ends.
    Promise.resolve(sent).catch(() => undefined);
  };
  return { recordEnd, mayHoldPlaces };
}

const NO_END = { recordEnd: null, mayHoldPlaces: false } as const;

function isCounted(counted: NonNullable<LimitOptions<unknown>['counts']>, status: number): boolean {
  if (typeof counted === 'function') return counted(status);
  return counted === 'all' || status >= 400 === (counted === 'failures');
}

/** @throws TypeError if no option identifies the sender */
export function requireKey<Request>(options: LimitOptions<Request>): void {
  const { ip, user, apiKey, apiKeyId } = options;
  if (options.class === false && options.limits !== undefined) return;
  if ([ip, user, apiKey, apiKeyId].some((key) => typeof key === 'function')) return;
  throw new TypeError('`limit` needs `ip`, `user`, `apiKey` or `apiKeyId` to know whom it counts.');
}

/** Null if no limit applies to the request. */
async function buildCheck<Request>(
  options: LimitOptions<Request>,
  request: Request,
  described: Described,
): Promise<Check | null> {
  const { ip, user, apiKey, apiKeyId, cost } = options;
  const check: Check = {};
  if (options.class !== false) {
    check.method = described.method;
    check.path = parsePath(described.target);
    if (described.isPreflight === true) check.preflight = true;
  }
  if (options.counts !== undefined && options.counts !== 'all') check.refundable = true;
  const name = typeof options.class === 'function' ? options.class(request) : options.class;
  if (name !== undefined && name !== false) check.class = name;
  const units = typeof cost === 'function' ? cost(request) : cost;
  if (units !== undefined) check.cost = units;
  const written = ip === false ? undefined : ip === undefined ? described.ip : await readKey(ip, request);
  const address = written == null ? null : readAddress(written);
  if (address !== null) check.ip = address.text;
  const userId = await readKey(user, request);
  if (userId !== undefined) check.user_id = userId;
  const id = await readKey(apiKeyId, request);
  const key = id === undefined ? await readKey(apiKey, request) : undefined;
  // A UUID means that the application has verified the key, so it is not accepted as a secret.
  if (key !== undefined) check.api_key = UUID.test(key) ? NO_SECRET : key;
  if (id !== undefined) check.api_key = id;
  const limits = await listLimits(options, request, check.api_key !== undefined);
  if (limits.length > 0) check.limits = limits;
  if (options.class === false) return limits.length === 0 ? null : check;
  // Requests without user and key share one counter if their address is missing or invalid.
  const isByAddress = ip !== false && (ip !== undefined || 'ip' in described);
  if (isByAddress && address === null && userId === undefined && check.api_key === undefined)
    check.ip = UNKNOWN_ADDRESS;
  return check;
}

/** Lists the named limits that apply to a request. @param hasKey whether the API key can be the subject */
async function listLimits<Request>(
  { limits = [] }: LimitOptions<Request>,
  request: Request,
  hasKey: boolean,
): Promise<NonNullable<Check['limits']>> {
  const checkedLimits = await Promise.all(
    (typeof limits === 'function' ? limits(request) : limits).map(async ({ name, subject: read, cost }) => {
      const units = typeof cost === 'function' ? cost(request) : cost;
      const paid = units === undefined ? { name } : { name, cost: units };
      if (read === undefined) return hasKey ? [paid] : [];
      const subject = await readKey(read, request);
      return subject === undefined ? [] : [{ ...paid, subject }];
    }),
  );
  return checkedLimits.flat();
}

/** Returns the path of a request target (RFC 9112, section 3.2) in any form. */
function parsePath(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?].*$/s, '');
  return path.startsWith('/') ? path : '/';
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NO_SECRET = '';
/** IPv4 dummy address (RFC 7600 section 4.8), which no client has. */
export const UNKNOWN_ADDRESS = '192.0.0.8';

/** Refuses checks that are invalid without asking the server. */
function refuseLocally(check: Check): CheckAnswer | null {
  const { ip, user_id, api_key } = check;
  if (api_key === NO_SECRET) {
    const error_description = 'The API key is unknown, revoked or expired.';
    return answerUnlimited(check, { allowed: false, error: 'invalid_api_key', error_description });
  }
  if (ip !== undefined || user_id !== undefined || api_key !== undefined || isByLimitsOnly(check)) return null;
  const error_description = 'The request names no caller that a limit could count.';
  return answerUnlimited(check, { allowed: false, error: 'invalid_request', error_description });
}
