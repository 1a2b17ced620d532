import type { Logger } from 'pino';
import type { Actor } from '@/lib/auth/actor';
import { authorize, authorizeRemembered } from '@/lib/auth/authorize';
import {
  checkBatch as batchContract,
  type CheckResult,
  check as checkContract,
  MAX_BATCH_BYTES,
} from '@/lib/contract/check';
import { INCIDENT_STATUS } from '@/lib/contract/fields/incident';
import { forwardAuth as forwardAuthContract } from '@/lib/contract/forward-auth';
import { RefundSchema, refund as refundContract } from '@/lib/contract/refund';
import { pathOf } from '@/lib/enforcement/canonical-path';
import type { Decision } from '@/lib/enforcement/decision';
import {
  ENVOY_PREFIX,
  type ForwardAuthServices,
  forwardAuthAnswer,
  readForwardAuth,
} from '@/lib/enforcement/decision-api/forward-auth';
import { readCheck, readChecks } from '@/lib/enforcement/decision-api/read-checks';
import type { Engine } from '@/lib/enforcement/engine';
import type { Refunds } from '@/lib/enforcement/refunds';
import type { RulesCache } from '@/lib/enforcement/rules-cache';
import { logFailure, toApiError } from '@/lib/fault';
import { ApiError, methodNotAllowed } from '@/lib/http/api-error';
import { clientAddress, type ProxySettings } from '@/lib/http/client-address';
import { type Answer, errorAnswer, uncached } from '@/lib/http/error-answer.mjs';
import { refuseRequest } from '@/lib/http/error-response';
import { parseInput } from '@/lib/http/input';
import { jsonOf, MAX_BODY_BYTES, readBytes } from '@/lib/http/json-body';
import { everyMethod, type Handlers, METHODS } from '@/lib/http/methods';
import type { RequestHead } from '@/lib/http/request-head';
import { requestIdOf } from '@/lib/http/request-id';
import { DECISION_API, type KeyUsage } from '@/lib/statistics/key-days';
import type { Millis } from '@/lib/units';

/**
 * A call of the decision API, independent of its transport: a route handler of Next, or `server.mjs`, which saves it
 * the `Request` and the `Response`.
 */
export interface DecisionCall extends RequestHead {
  /** Path and query as they were sent. */
  readonly target: string;
  /** Reads the body; `done` gets null when it is larger than `limit` bytes. May be called once. */
  read(limit: number, done: (bytes: Uint8Array | null) => void, failed: (fault: unknown) => void): void;
}

export interface DecisionApiServices extends ForwardAuthServices, AuthorizeServices {
  readonly config: ForwardAuthServices['config'] & AuthorizeServices['config'];
  readonly engine: Pick<Engine, 'decide' | 'decideAll'>;
  readonly rules: Pick<RulesCache, 'current'>;
  readonly refunds: Refunds;
  readonly logger: Pick<Logger, 'error' | 'debug'>;
  /** Keeps that the decision API is used. */
  readonly statistics: { readonly usage: Pick<KeyUsage, 'use'> };
}
type AuthorizeServices = Parameters<typeof authorize>[2];

/**
 * Passes on what was decided. @param answerOf throws what becomes an error answer
 */
type Deliver = <T extends Decision | readonly Decision[] | null>(
  decided: Promise<T>,
  answerOf: (decided: T) => Answer,
) => void;

/** What answers at one path. */
interface Resource {
  methods: readonly string[];
  /** Largest body in bytes; null where none is read. */
  limit: number | null;
  answer(
    services: DecisionApiServices,
    call: DecisionCall,
    asked: { requestId: string; body: unknown },
    deliver: Deliver,
  ): void;
}

const CHECK: Resource = {
  methods: ['POST', 'OPTIONS'],
  limit: MAX_BODY_BYTES,
  answer: ({ engine, refunds }, _call, { requestId, body }, deliver) => {
    deliver(engine.decide(readCheck(body, requestId)), (decision) =>
      jsonAnswer(resultText(decision, refunds), requestId),
    );
  },
};

const BATCH: Resource = {
  methods: CHECK.methods,
  limit: MAX_BATCH_BYTES,
  answer: ({ engine, refunds }, _call, { requestId, body }, deliver) => {
    deliver(engine.decideAll(readChecks(body, requestId)), (decisions) =>
      jsonAnswer(`[${decisions.map((decision) => resultText(decision, refunds)).join(',')}]`, requestId),
    );
  },
};

const REFUND: Resource = {
  methods: CHECK.methods,
  limit: MAX_BODY_BYTES,
  answer: ({ refunds }, _call, { requestId, body }, deliver) => {
    const refunded = refunds.refund(parseInput(RefundSchema, body, 'body').id).then(() => null);
    deliver(refunded, () => jsonAnswer('{"refunded":true}', requestId));
  },
};

const FORWARD_AUTH: Resource = {
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  limit: null,
  answer: (services, call, { requestId }, deliver) => {
    const asked = readForwardAuth(services, call, requestId);
    deliver(services.engine.decide(asked.facts), (decision) =>
      forwardAuthAnswer(services, call, { ...asked, requestId }, decision),
    );
  },
};

/** Envoy repeats the method of its own client. */
const ENVOY: Resource = { ...FORWARD_AUTH, methods: METHODS };

/** Answers a call of the decision API. Never throws: faults become answers. */
export function answerDecisionCall(services: DecisionApiServices, call: DecisionCall): Promise<Answer> {
  return new Promise((resolve) => respondToDecisionCall(services, call, resolve));
}

/**
 * The same, with as few promises as possible: each is expensive in a process in which Next tracks them all. A caller whose
 * token is remembered is not looked up again where the counter store says that nothing was changed since.
 * @param respond called once; does not throw
 */
export function respondToDecisionCall(
  services: DecisionApiServices,
  call: DecisionCall,
  respond: (answer: Answer) => void,
): void {
  const requestId = requestIdOf(call.headers);
  const failed = (fault: unknown): void => {
    const error = toApiError(fault);
    logFailure(services.logger, error, { requestId }, 'decision call failed');
    respond(errorAnswer(error, call.headers.get('accept'), requestId));
  };
  /** Faults of the work become the answer. */
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (fault) {
      failed(fault);
    }
  };
  guarded(() => {
    const resource = resourceOf(call.target);
    const { methods } = resource;
    if (!methods.includes(call.method)) throw methodNotAllowed(methods.join(', '));
    if (call.method === 'OPTIONS' && resource !== ENVOY) {
      const headers = { Allow: methods.join(', '), 'X-Request-Id': requestId };
      respond({ status: 204, headers, body: null });
      return;
    }
    const at = new CallOrigin(services.clock(), call, services.config);
    const { revision } = services.rules.current;
    const remembered = resource === REFUND ? null : authorizeRemembered('decide', call, services, at);
    const proceed = (actor: Actor): void => {
      // The console asks with a session, to show how it works.
      if (!actor.id.startsWith('member:')) services.statistics.usage.use(DECISION_API, at.now);
      const deliver: Deliver = (decided, answerOf) => {
        decided.then((outcome) => {
          guarded(() => {
            const answer = answerOf(outcome);
            if (remembered === null || isDecidedUnder(revision, outcome)) respond(answer);
            else authorize('decide', call, services, at).then(() => respond(answer), failed);
          });
        }, failed);
      };
      const { limit } = resource;
      if (limit === null) {
        resource.answer(services, call, { requestId, body: undefined }, deliver);
        return;
      }
      call.read(
        limit,
        (bytes) => {
          guarded(() => {
            if (bytes === null) throw new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`);
            const body = jsonOf(call, bytes, { required: true });
            resource.answer(services, call, { requestId, body }, deliver);
          });
        },
        failed,
      );
    };
    if (remembered !== null) proceed(remembered);
    else authorize('decide', call, services, at).then((actor) => guarded(() => proceed(actor)), failed);
  });
}

/**
 * When and from where a call came. A class, because the address is only asked for where a token is wrong, and an accessor in
 * a literal keeps alive all that its function sees until the next full collection: V8 makes a hidden class of each.
 */
class CallOrigin {
  constructor(
    readonly now: Millis,
    private readonly call: DecisionCall,
    private readonly config: ProxySettings,
  ) {}

  get address(): string | null {
    return clientAddress(this.call.headers, this.config)?.text ?? null;
  }
}

/** Whether the counter store has checked for all decisions that this is the newest revision. */
function isDecidedUnder(revision: number, decided: Decision | readonly Decision[] | null): boolean {
  const decisions = decided === null ? [] : 'outcome' in decided ? [decided] : decided;
  return decisions.every(({ checkedRevision }) => checkedRevision === revision);
}

/** A `Request` as a call of the decision API. */
export function callOf(request: Request): DecisionCall {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    url: request.url,
    target: `${pathname}${search}`,
    headers: request.headers,
    read: (limit, done, failed) => {
      readBytes(request, limit).then(done, (fault: unknown) => {
        if (fault instanceof ApiError && fault.code === 'payload_too_large') done(null);
        else failed(fault);
      });
    },
  };
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
  const path = pathOf(target);
  if (path.startsWith(`${ENVOY_PREFIX}/`)) return ENVOY;
  if (path === forwardAuthContract.path) return FORWARD_AUTH;
  if (target.length > path.length + 1)
    throw new ApiError('invalid_request', 'This operation takes no query parameters.');
  if (path === checkContract.path) return CHECK;
  if (path === batchContract.path) return BATCH;
  if (path === refundContract.path) return REFUND;
  throw new ApiError('not_found', 'Not found.');
}

function jsonAnswer(body: string, requestId: string): Answer {
  return { status: 200, headers: uncached(requestId, JSON_HEADERS), body };
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };

/** `checkResult` as JSON. */
export function resultText(decision: Decision, refunds: Pick<Refunds, 'idOf'>): string {
  const { outcome, tightest, quota, class: name, incident, charged } = decision;
  if (charged !== undefined) return JSON.stringify({ ...checkResult(decision), id: refunds.idOf(charged) });
  // Most answers: four times as fast.
  if (outcome === 'allowed' && tightest !== null && quota === null && incident === null) {
    const { limit, remaining, reset } = tightest;
    return `{"allowed":true,"class":"${name}","limit":${limit},"remaining":${remaining},"reset":${reset}}`;
  }
  return JSON.stringify(checkResult(decision));
}

/** The body of the answer to a check. */
export function checkResult(decision: Decision): CheckResult {
  const { outcome, tightest, quota, refusal, charged } = decision;
  const result: CheckResult = {
    allowed: refusal === null,
    class: decision.class,
    limit: tightest?.limit ?? null,
    remaining: tightest?.remaining ?? null,
    reset: tightest?.reset ?? null,
  };
  if (decision.incident !== null) result.status = INCIDENT_STATUS[decision.incident];
  if (outcome === 'bypassed') result.status = 'bypassed';
  if (decision.degraded) result.status = 'degraded';
  const counts = charged?.counts ?? 'all';
  if (counts !== 'all') result.counts = counts;
  if (quota !== null) result.quota = { limit: quota.limit, remaining: quota.remaining, reset: quota.reset };
  if (decision.observed !== null) result.would_refuse = decision.observed.error;
  if (refusal === null) return result;
  result.error = refusal.error;
  result.error_description = refusal.description;
  if (refusal.retryAfter !== null) result.retry_after = refusal.retryAfter;
  return result;
}
