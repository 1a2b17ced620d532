import { isUserId } from '@/lib/contract/fields/identifier';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { addCorsFields } from '@/lib/enforcement/cross-origin';
import type { Decision } from '@/lib/enforcement/decision';
import { ENVOY_PREFIX } from '@/lib/enforcement/decision-api/decision-paths';
import { buildDecisionHeaders, DECISION_HEADERS, IETF_HEADERS } from '@/lib/enforcement/headers';
import type { Facts } from '@/lib/enforcement/plan';
import { buildRefusedAnswer } from '@/lib/enforcement/refused-answer';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import type { Settlements } from '@/lib/enforcement/settlements';
import { ApiError } from '@/lib/http/api-error';
import { type ProxySettings, readForwardedClient } from '@/lib/http/client-address';
import { type Answer, createUncachedHeaders } from '@/lib/http/error-answer';
import {
  decodeHeaderText,
  type HeaderReader,
  isPreflight,
  listHeaderReadings,
  type RequestHead,
  readOnlyValue,
  readSingleValue,
} from '@/lib/http/request-head';

const METHOD = /^[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,31}$/;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

export interface ForwardAuthServices {
  readonly rules: Pick<RulesCache, 'current'>;
  readonly settlements: Pick<Settlements, 'createId'>;
  readonly config: ProxySettings & {
    readonly SLUICE_IETF_HEADERS: boolean;
    readonly SLUICE_USER_HEADER?: string | undefined;
  };
}

/** The call of a proxy: a head, with its path and query as they were sent. */
type ProxyCall = RequestHead & { readonly target: string };

/** Every documented header, without a value. */
const ALL_WITH_IETF = Object.fromEntries(DECISION_HEADERS.map((name) => [name, '']));
const ALL = Object.fromEntries(Object.entries(ALL_WITH_IETF).filter(([name]) => !IETF_HEADERS.includes(name)));

/**
 * Answers a reverse proxy about a request of its client: 200, or the refusal as enforcement would send it. Every
 * documented header is present, empty if it has no value.
 *
 * Nginx passes on only 401 and 403, and no body. For nginx a refusal is therefore 403, with status and body in
 * `X-RL-Status` and `X-RL-Body`.
 */
export function answerForwardAuth(
  services: ForwardAuthServices,
  call: ProxyCall,
  { facts, conflicting, nginx, requestId }: ProxiedRequest & { requestId: string },
  decision: Decision,
): Answer {
  const ietf = services.config.SLUICE_IETF_HEADERS;
  const { charged } = decision;
  const refund = charged === undefined ? '' : services.settlements.createId(charged);
  // One object serves most answers: headers with a value overwrite the empty ones.
  const headers = buildDecisionHeaders(decision, ietf, createUncachedHeaders(requestId, ietf ? ALL_WITH_IETF : ALL));
  const counts = charged?.counts ?? 'all';
  if (charged !== undefined || facts.refundable === true) headers['X-RateLimit-Refund-Id'] = refund;
  if (counts !== 'all') headers['X-RateLimit-Counts'] = counts;
  const accept = nginx ? null : call.headers.get('accept');
  const refused = buildRefusedAnswer(decision, { headers, accept, requestId, conflicting });
  const answer =
    refused === null ? { status: 200, headers, body: '' } : addCorsFields(refused, call, services.rules.current, null);
  if (!nginx) return answer;
  const extra = { 'X-RL-Status': String(answer.status), 'X-RL-Body': answer.body ?? '' };
  return { ...answer, status: refused === null ? 200 : 403, headers: { ...answer.headers, ...extra } };
}

interface ProxiedRequest {
  facts: Facts;
  /** True if the client sent two different keys. */
  conflicting: boolean;
  /** True if the call comes from nginx. */
  nginx: boolean;
}

/** Reads the request of a proxy's client. @throws ApiError invalid_request if headers are malformed */
export function readForwardAuth(services: ForwardAuthServices, call: ProxyCall, requestId: string): ProxiedRequest {
  const { headers, target } = call;
  const envoy = target.startsWith(`${ENVOY_PREFIX}/`);
  // Envoy repeats the method of its client. For other proxies, HEAD is a GET without a body.
  const own = call.method === 'HEAD' && !envoy ? 'GET' : call.method;
  const method = (envoy ? null : readOnlyValue(headers, 'x-forwarded-method')) || own;
  if (!METHOD.test(method)) throw new ApiError('invalid_request', 'X-Forwarded-Method is not an HTTP method.');
  const uri = envoy ? target.slice(ENVOY_PREFIX.length) : readForwardedUri(headers);
  const apiKey = readSingleValue(headers.get('x-api-key'));
  const userId = readUser(headers, services.config.SLUICE_USER_HEADER);
  const facts: Facts = {
    method: method.toUpperCase(),
    path: parsePath(uri.replace(ORIGIN, '')) || '/',
    address: readForwardedClient(headers, services.config),
    header: (name) => listHeaderReadings(headers, name),
    requestId,
  };
  if (isPreflight(facts.method ?? '', headers)) facts.preflight = true;
  if (apiKey !== null && apiKey !== 'several') facts.apiKey = apiKey;
  if (userId !== null) facts.userId = userId;
  // Other parameters are ignored, because Caddy appends the query of its client.
  const query = envoy ? '' : target.slice(parsePath(target).length);
  if (query === '') return { facts, conflicting: apiKey === 'several', nginx: false };
  const parameters = new URLSearchParams(query);
  if (parameters.get('refundable') === 'true') facts.refundable = true;
  return { facts, conflicting: apiKey === 'several', nginx: parameters.get('proxy') === 'nginx' };
}

/**
 * Returns the request target that a gateway forwards. A target ends at white space, so a value with white space comes
 * from several fields.
 */
function readForwardedUri(headers: HeaderReader): string {
  const uri = readOnlyValue(headers, 'x-forwarded-uri') || '/';
  if (/,[ \t]/.test(uri)) throw new ApiError('invalid_request', 'The header x-forwarded-uri has several values.');
  return uri.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
}

/** Returns the user in the header `SLUICE_USER_HEADER` of the proxy, decoded as UTF-8 if it is valid. */
function readUser(headers: HeaderReader, name: string | undefined): string | null {
  const value = name === undefined ? null : readOnlyValue(headers, name.toLowerCase());
  if (value === null || value === '') return null;
  const userId = decodeHeaderText(value);
  if (!isUserId(userId)) throw new ApiError('invalid_request', 'The header that names the user holds no user id.');
  return userId;
}
