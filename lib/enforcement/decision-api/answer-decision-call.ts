import { checkBatch as batchContract, check as checkContract } from '@/lib/contract/check';
import { forwardAuth as forwardAuthContract } from '@/lib/contract/forward-auth';
import { RefundSchema, refund as refundContract } from '@/lib/contract/refund';
import { SettleSchema, settle as settleContract } from '@/lib/contract/settle';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { CheckBatch } from '@/lib/enforcement/check-batch';
import type { Decision } from '@/lib/enforcement/decision';
import {
  CallInProgress,
  CallReceiver,
  type DecisionApiServices,
  type DecisionCall,
  type Resource,
} from '@/lib/enforcement/decision-api/call-in-progress';
import { formatCheckResult } from '@/lib/enforcement/decision-api/check-result';
import { isEnvoyPath } from '@/lib/enforcement/decision-api/decision-paths';
import { answerForwardAuth, readForwardAuth } from '@/lib/enforcement/decision-api/forward-auth';
import { readCheck, readChecks } from '@/lib/enforcement/decision-api/read-checks';
import { requireLimits } from '@/lib/enforcement/decision-api/require-limits';
import type { Facts } from '@/lib/enforcement/plan';
import { convertFault } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { getMaxBodyBytes, MAX_BODY_BYTES } from '@/lib/http/body-limits';
import { type Answer, createUncachedHeaders } from '@/lib/http/error-answer';
import { refuseRequest } from '@/lib/http/error-response';
import { parseInput } from '@/lib/http/input';
import { readBytes } from '@/lib/http/json-body';
import { FORWARDED_METHODS } from '@/lib/http/request-methods';
import { requireHost } from '@/lib/http/request-origin';

const CHECK: Resource = {
  methods: ['POST', 'OPTIONS'],
  limit: MAX_BODY_BYTES,
  decide: (call, body) => {
    const { engine, settlements } = call.services;
    const buildAnswer = (decision: Decision) =>
      buildJsonAnswer(formatCheckResult(decision, settlements), call.requestId);
    const facts = addCaller(readCheck(body, call.requestId), call);
    const receiver = new CallReceiver(call, buildAnswer);
    const decide = () => engine.decideTo(facts, receiver);
    if (facts.limits === undefined) decide();
    else
      requireLimits(call.services.rules, [facts])
        .then(decide)
        .catch((fault: unknown) => receiver.reject(fault));
  },
};

const BATCH: Resource = {
  methods: CHECK.methods,
  limit: getMaxBodyBytes(batchContract.path),
  decide: (call, body) => {
    const { engine, settlements } = call.services;
    const buildAnswer = (decisions: readonly Decision[]) => {
      const results = decisions.map((decision, at) => formatCheckResult(decision, settlements, `${at}.`));
      return buildJsonAnswer(`[${results.join(',')}]`, call.requestId);
    };
    const all = readChecks(body, call.requestId);
    for (const facts of all) addCaller(facts, call);
    const hasLimits = all.some(({ limits }) => limits !== undefined);
    if (hasLimits) {
      const batch = new CheckBatch(all);
      for (const facts of all) facts.batch = batch;
    }
    const decide = () => engine.decideAll(all);
    new CallReceiver(call, buildAnswer).follow(
      hasLimits ? requireLimits(call.services.rules, all, true).then(decide) : decide(),
    );
  },
};

const REFUND: Resource = {
  methods: CHECK.methods,
  limit: MAX_BODY_BYTES,
  looksUpCaller: true,
  decide: (call, body) => {
    const refunded = call.services.settlements.refund(parseInput(RefundSchema, body, 'body').id).then(() => null);
    new CallReceiver(call, () => buildJsonAnswer('{"refunded":true}', call.requestId)).follow(refunded);
  },
};

const SETTLE: Resource = {
  methods: CHECK.methods,
  limit: MAX_BODY_BYTES,
  looksUpCaller: true,
  decide: (call, body) => {
    const { id, costs } = parseInput(SettleSchema, body, 'body');
    const settled = call.services.settlements.settle(id, costs).then(() => null);
    new CallReceiver(call, () => buildJsonAnswer('{"settled":true}', call.requestId)).follow(settled);
  },
};

const FORWARD_AUTH: Resource = {
  methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  limit: null,
  decide: (call) => {
    const { services, requestId } = call;
    const forwarded = readForwardAuth(services, call.head, requestId);
    const buildAnswer = (decision: Decision) =>
      answerForwardAuth(services, call.head, { ...forwarded, requestId }, decision);
    services.engine.decideTo(addCaller(forwarded.facts, call), new CallReceiver(call, buildAnswer));
  },
};

/** The resource for Envoy, which repeats the method of its client. */
const ENVOY: Resource = { ...FORWARD_AUTH, methods: FORWARDED_METHODS, hasClientsMethod: true };

/** Adds the caller to the facts of a request if its token was not looked up for this call. Returns the same facts. */
function addCaller(facts: Facts, { rememberedCaller }: CallInProgress): Facts {
  if (rememberedCaller !== undefined) facts.caller = rememberedCaller;
  return facts;
}

/** Answers a call of the decision API. Never throws: faults become answers. */
export function answerDecisionCall(services: DecisionApiServices, call: DecisionCall): Promise<Answer> {
  return new Promise((resolve) => respondToDecisionCall(services, call, resolve));
}

/**
 * Answers a call like `answerDecisionCall`, with as few promises as possible. A promise is expensive in a process in
 * which Next tracks all of them. A caller with a cached token is not looked up again if the counter store reports no
 * change since.
 * @param respond called once; must not throw
 */
export function respondToDecisionCall(
  services: DecisionApiServices,
  call: DecisionCall,
  respond: (answer: Answer) => void,
): void {
  new CallInProgress(services, call, respond).begin(findResource);
}

/** Converts a `Request` to a call of the decision API. @param target path and query of its address */
export function buildDecisionCall(request: Request, target = readTarget(request)): DecisionCall {
  return {
    method: request.method,
    url: request.url,
    target,
    headers: request.headers,
    read: (limit, done, failed) => {
      readBytes(request, limit).then(done, (fault: unknown) => {
        if (fault instanceof ApiError && fault.code === 'payload_too_large') done(null);
        else failed(fault);
      });
    },
  };
}

function readTarget({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

/** Creates the route handler of Next that answers like the self-hosted server. */
export function createDecisionHandler(
  services: () => Promise<DecisionApiServices>,
): (request: Request, target?: string) => Promise<Response> {
  return async (request, target) => {
    try {
      requireHost(request.headers);
      const { body, ...init } = await answerDecisionCall(await services(), buildDecisionCall(request, target));
      return new Response(request.method === 'HEAD' || body === '' ? null : body, init);
    } catch (fault) {
      return refuseRequest(request, convertFault(fault));
    }
  };
}

/** @throws ApiError not_found */
function findResource(target: string): Resource {
  const path = parsePath(target);
  if (isEnvoyPath(path)) return ENVOY;
  if (path === forwardAuthContract.path) return FORWARD_AUTH;
  if (target.length > path.length + 1)
    throw new ApiError('invalid_request', 'This operation takes no query parameters.');
  if (path === checkContract.path) return CHECK;
  if (path === batchContract.path) return BATCH;
  if (path === refundContract.path) return REFUND;
  if (path === settleContract.path) return SETTLE;
  throw new ApiError('not_found', 'Not found.');
}

function buildJsonAnswer(body: string, requestId: string): Answer {
  return { status: 200, headers: createUncachedHeaders(requestId, JSON_HEADERS), body };
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };
