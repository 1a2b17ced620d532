import { authorize } from '@/lib/auth/authorize';
import { CheckBatchSchema, CheckSchema, MAX_BATCH_BYTES } from '@/lib/contract/check';
import { factsOf } from '@/lib/enforcement/decision-api/check-facts';
import { checkResult } from '@/lib/enforcement/decision-api/check-result';
import type { DecisionCall } from '@/lib/enforcement/decision-api/decision-call';
import { forwardAuth } from '@/lib/enforcement/decision-api/forward-auth';
import { ApiError } from '@/lib/http/api-error';
import { clientAddress } from '@/lib/http/client-address';
import { type Answer, errorAnswer } from '@/lib/http/error-response';
import { toApiError } from '@/lib/http/fault';
import { parseInput } from '@/lib/http/input';
import { jsonOf, MAX_BODY_BYTES } from '@/lib/http/json-body';
import { requestIdOf } from '@/lib/http/request-id';
import type { Millis } from '@/lib/limiter/meter';
import type { Services } from '@/lib/operation/services';

/** What answers at one path. Few promises: each costs something in a process in which Next follows them all. */
interface Resource {
  methods: readonly string[];
  /** Most bytes of a body; null where there is none to read. */
  limit: number | null;
  answer(services: Services, call: DecisionCall, requestId: string, body: unknown): Promise<Answer>;
}

const CHECK: Resource = {
  methods: ['POST', 'OPTIONS'],
  limit: MAX_BODY_BYTES,
  answer: ({ engine }, _call, requestId, body) => {
    const facts = factsOf(parseInput(CheckSchema, body, 'body'), requestId);
    return engine.decide(facts).then((decision) => jsonAnswer(checkResult(decision), requestId));
  },
};

const BATCH: Resource = {
  methods: ['POST', 'OPTIONS'],
  limit: MAX_BATCH_BYTES,
  answer: ({ engine }, _call, requestId, body) => {
    const checks = parseInput(CheckBatchSchema, body, 'body');
    return engine
      .decideAll(checks.map((one) => factsOf(one, requestId)))
      .then((decisions) => jsonAnswer(decisions.map(checkResult), requestId));
  },
};

const FORWARD_AUTH: Resource = { methods: ['GET', 'HEAD', 'POST', 'OPTIONS'], limit: null, answer: forwardAuth };

/** Envoy repeats the method of its own client, so every one of them asks. */
const ENVOY: Resource = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  limit: null,
  answer: forwardAuth,
};

/**
 * Answers a call of the decision API. The route handlers and the fast lane of `server.mjs` are two ways to this one
 * function. Faults become answers; it never throws.
 */
export function answerDecisionCall(services: Services, call: DecisionCall): Promise<Answer> {
  const requestId = requestIdOf(call.headers);
  const failed = (fault: unknown): Answer => {
    const error = toApiError(fault);
    if (error.status >= 500) services.logger.error({ requestId, err: error.cause ?? error }, 'decision call failed');
    return errorAnswer(error, call.headers.get('accept'), requestId);
  };
  try {
    const resource = resourceOf(call.target);
    if (!resource.methods.includes(call.method)) throw methodNotAllowed(resource);
    if (call.method === 'OPTIONS' && resource !== ENVOY) return Promise.resolve(optionsAnswer(resource, requestId));
    return authorize('decide', call, services, new Caller(services, call))
      .then(() => answerOf(resource, services, call, requestId))
      .catch(failed);
  } catch (fault) {
    return Promise.resolve(failed(fault));
  }
}

function answerOf(resource: Resource, services: Services, call: DecisionCall, requestId: string): Promise<Answer> {
  const { limit } = resource;
  if (limit === null) return resource.answer(services, call, requestId, undefined);
  return call
    .read(limit)
    .then((bytes) =>
      resource.answer(services, call, requestId, jsonOf(call, within(limit, bytes), { required: true })),
    );
}

/** When and from where a call came. Only wrong tokens are counted by address, so it is read when it is asked for. */
class Caller {
  readonly now: Millis;

  constructor(
    private readonly services: Services,
    private readonly call: DecisionCall,
  ) {
    this.now = services.clock();
  }

  get address(): string | null {
    return clientAddress(this.call.headers, this.services.config)?.text ?? null;
  }
}

/** @throws ApiError not_found */
function resourceOf(target: string): Resource {
  const end = target.indexOf('?');
  const path = end < 0 ? target : target.slice(0, end);
  if (path.startsWith('/v1/forward-auth/envoy/')) return ENVOY;
  if (path === '/v1/forward-auth') return FORWARD_AUTH;
  if (end >= 0 && end < target.length - 1)
    throw new ApiError('invalid_request', 'This operation takes no query parameters.');
  if (path === '/v1/check') return CHECK;
  if (path === '/v1/check/batch') return BATCH;
  throw new ApiError('not_found', 'There is nothing here.');
}

/** @throws ApiError payload_too_large */
function within(limit: number, bytes: Uint8Array | null): Uint8Array {
  if (bytes === null) throw new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`);
  return bytes;
}

function jsonAnswer(value: unknown, requestId: string): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
    },
    body: JSON.stringify(value),
  };
}

function optionsAnswer(resource: Resource, requestId: string): Answer {
  return { status: 204, headers: { Allow: resource.methods.join(', '), 'X-Request-Id': requestId }, body: null };
}

function methodNotAllowed(resource: Resource): ApiError {
  const allowed = resource.methods.join(', ');
  return new ApiError('method_not_allowed', `This resource answers ${allowed}.`, { headers: { Allow: allowed } });
}
