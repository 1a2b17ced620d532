import { isUserId } from '@/lib/contract/fields/identifier';
import type { Decision, Facts } from '@/lib/enforcement/decision';
import { pathOf } from '@/lib/enforcement/decision-api/check';
import type { DecisionCall } from '@/lib/enforcement/decision-api/decision-call';
import { DECISION_HEADERS, decisionHeaders, IETF_HEADERS } from '@/lib/enforcement/headers';
import { refusalAnswer } from '@/lib/enforcement/refused-answer';
import { ApiError } from '@/lib/http/api-error';
import { forwardedClient } from '@/lib/http/client-address';
import { type Answer, errorAnswer } from '@/lib/http/error-answer.mjs';
import type { HeaderReader } from '@/lib/http/request-head';
import { singleValue } from '@/lib/http/single-value';
import type { Services } from '@/lib/operation/services';

const ENVOY_PREFIX = '/v1/forward-auth/envoy';
const METHOD = /^[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,31}$/;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Every header that an answer documents, without a value. */
const ALL = emptyHeaders(DECISION_HEADERS.filter((name) => !(IETF_HEADERS as readonly string[]).includes(name)));
const ALL_WITH_IETF = emptyHeaders(DECISION_HEADERS);

/** A request that a proxy asks about, and how the proxy wants to be answered. */
interface Asked {
  facts: Facts;
  /** The client named two keys. */
  conflicting: boolean;
  nginx: boolean;
}

/**
 * Answers a reverse proxy that asks whether its own client's request may go on: 200, or the refusal as enforcement
 * would send it. Every documented header is always there, empty where it has no value. For nginx, which passes nothing
 * but 401 and 403 and no body, a refusal is 403 with the status and the body in `X-RL-Status` and `X-RL-Body`.
 * @throws ApiError invalid_request when the proxy asks in a way that is not understood
 */
export async function forwardAuth(services: Services, call: DecisionCall, requestId: string): Promise<Answer> {
  const { facts, conflicting, nginx } = read(services, call, requestId);
  const decision = await services.engine.decide(facts);
  const ietf = services.config.SLUICE_IETF_HEADERS;
  const headers = { ...(ietf ? ALL_WITH_IETF : ALL), ...decisionHeaders(decision, ietf) };
  const accept = nginx ? null : call.headers.get('accept');
  const answer = answerOf(decision, conflicting, headers, accept, requestId);
  return nginx ? forNginx(answer) : answer;
}

function answerOf(
  decision: Decision,
  conflicting: boolean,
  headers: Record<string, string>,
  accept: string | null,
  requestId: string,
): Answer {
  if (decision.refusal !== null) return refusalAnswer(decision, headers, accept, requestId);
  if (conflicting) {
    const error = new ApiError('invalid_request', 'The request names two different clients.', { headers });
    return errorAnswer(error, accept, requestId);
  }
  return {
    status: 200,
    headers: {
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      ...headers,
    },
    body: '',
  };
}

function forNginx(answer: Answer): Answer {
  const admitted = answer.status === 200;
  const told = { 'X-RL-Status': String(answer.status), 'X-RL-Body': admitted ? '' : (answer.body ?? '') };
  return { ...answer, status: admitted ? 200 : 403, headers: { ...answer.headers, ...told } };
}

function read(services: Services, call: DecisionCall, requestId: string): Asked {
  const { headers, target } = call;
  const envoy = target.startsWith(`${ENVOY_PREFIX}/`);
  const method = (envoy ? null : headers.get('x-forwarded-method')) || ownMethod(call, envoy);
  if (!METHOD.test(method)) throw new ApiError('invalid_request', 'X-Forwarded-Method is not an HTTP method.');
  const uri = envoy ? target.slice(ENVOY_PREFIX.length) : headers.get('x-forwarded-uri') || '/';
  const apiKey = singleValue(headers.get('x-api-key'));
  const userId = userOf(headers, services.config.SLUICE_USER_HEADER);
  const facts: Facts = {
    method: method.toUpperCase(),
    path: pathOf(uri.replace(ORIGIN, '')) || '/',
    address: forwardedClient(headers, services.config),
    requestId,
  };
  if (apiKey !== null && apiKey !== 'several') facts.apiKey = apiKey;
  if (userId !== null) facts.userId = userId;
  return { facts, conflicting: apiKey === 'several', nginx: !envoy && isNginx(target) };
}

/** The method of the call itself: for Envoy that of its client; for others a question by HEAD is one by GET. */
function ownMethod(call: DecisionCall, envoy: boolean): string {
  return call.method === 'HEAD' && !envoy ? 'GET' : call.method;
}

/** Whether the query says `proxy=nginx`. All else in it is passed over: Caddy appends its own client's query. */
function isNginx(target: string): boolean {
  const question = target.indexOf('?');
  return question >= 0 && new URLSearchParams(target.slice(question + 1)).get('proxy') === 'nginx';
}

/** The user whom the proxy names in the header that the operator chose; bytes that are UTF-8 are read so, as in JSON. */
function userOf(headers: HeaderReader, name: string | undefined): string | null {
  const value = name === undefined ? null : headers.get(name);
  if (value === null || value === '') return null;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  const userId = Buffer.from(text, 'utf8').equals(bytes) ? text : value;
  if (!isUserId(userId)) throw new ApiError('invalid_request', 'The header that names the user holds no user id.');
  return userId;
}

function emptyHeaders(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']));
}
