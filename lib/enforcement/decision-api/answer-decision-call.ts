import type { Logger } from 'pino';
import { authorize } from '@/lib/auth/authorize';
import { CheckBatchSchema, CheckSchema, MAX_BATCH_BYTES } from '@/lib/contract/check';
import { checkResult, factsOf } from '@/lib/enforcement/decision-api/check';
import { callOf, type DecisionCall } from '@/lib/enforcement/decision-api/decision-call';
import { type ForwardAuthServices, forwardAuth } from '@/lib/enforcement/decision-api/forward-auth';
import type { Engine } from '@/lib/enforcement/engine';
import { toApiError } from '@/lib/fault';
import { ApiError, methodNotAllowed } from '@/lib/http/api-error';
import { clientAddress } from '@/lib/http/client-address';
import { type Answer, errorAnswer, uncached } from '@/lib/http/error-answer.mjs';
import { refuseRequest } from '@/lib/http/error-response';
import { parseInput } from '@/lib/http/input';
import { jsonOf, MAX_BODY_BYTES } from '@/lib/http/json-body';
import { everyMethod, type Handlers, METHODS } from '@/lib/http/methods';
import { requestIdOf } from '@/lib/http/request-id';

/** What the decision API needs from the process. */
export interface DecisionApiServices extends ForwardAuthServices, AuthorizeServices {
  readonly config: ForwardAuthServices['config'] & AuthorizeServices['config'];
  readonly engine: Pick<Engine, 'decide' | 'decideAll'>;
  readonly logger: Pick<Logger, 'error'>;
}
type AuthorizeServices = Parameters<typeof authorize>[2];

/** What answers at one path. Few promises: each is expensive in a process in which Next tracks them all. */
interface Resource {
  methods: readonly string[];
  /** Largest body in bytes; null where none is read. */
  limit: number | null;
  answer(services: DecisionApiServices, call: DecisionCall, requestId: string, body: unknown): Promise<Answer>;
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
      .decideAll(checks.map((check) => factsOf(check, requestId)))
      .then((decisions) => jsonAnswer(decisions.map(checkResult), requestId));
  },
};

const FORWARD_AUTH: Resource = { methods: ['GET', 'HEAD', 'POST', 'OPTIONS'], limit: null, answer: forwardAuth };

/** Envoy repeats the method of its own client. */
const ENVOY: Resource = { ...FORWARD_AUTH, methods: METHODS };

/** Answers a call of the decision API, from a route handler or from `server.mjs`. Never throws: faults become answers. */
export function answerDecisionCall(services: DecisionApiServices, call: DecisionCall): Promise<Answer> {
  const requestId = requestIdOf(call.headers);
  const failed = (fault: unknown): Answer => {
    const error = toApiError(fault);
    if (error.status >= 500) services.logger.error({ requestId, err: error.cause ?? error }, 'decision call failed');
    return errorAnswer(error, call.headers.get('accept'), requestId);
  };
  try {
    const resource = resourceOf(call.target);
    const { methods } = resource;
    if (!methods.includes(call.method)) throw methodNotAllowed(methods.join(', '));
    if (call.method === 'OPTIONS' && resource !== ENVOY) {
      const headers = { Allow: methods.join(', '), 'X-Request-Id': requestId };
      return Promise.resolve({ status: 204, headers, body: null });
    }
    const at = {
      now: services.clock(),
      /** On demand: only wrong tokens are counted by it. */
      get address() {
        return clientAddress(call.headers, services.config)?.text ?? null;
      },
    };
    return authorize('decide', call, services, at)
      .then(() => {
        const { limit, answer } = resource;
        if (limit === null) return answer(services, call, requestId, undefined);
        return call.read(limit).then((bytes) => {
          if (bytes === null) throw new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`);
          return answer(services, call, requestId, jsonOf(call, bytes, { required: true }));
        });
      })
      .catch(failed);
  } catch (fault) {
    return Promise.resolve(failed(fault));
  }
}

/** The route handlers of the decision API: the same answers as the decision path of `server.mjs`, for where there is none. */
export function decisionRoute(
  services: () => Promise<DecisionApiServices>,
): Handlers<(request: Request) => Promise<Response>> {
  return everyMethod(async (request) => {
    try {
      const { body, ...init } = await answerDecisionCall(await services(), callOf(request));
      return new Response(request.method === 'HEAD' ? null : body, init);
    } catch (fault) {
      return refuseRequest(request, toApiError(fault));
    }
  });
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
  throw new ApiError('not_found', 'Not found.');
}

function jsonAnswer(value: unknown, requestId: string): Answer {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', ...uncached(requestId) };
  return { status: 200, headers, body: JSON.stringify(value) };
}
