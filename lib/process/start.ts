import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CountersElsewhere } from '@/lib/admin/counter-store/claim';
import { NoSuchOwner } from '@/lib/admin/members/no-such-owner';
import { mountApi } from '@/lib/api/mount';
import { ConfigError } from '@/lib/config/config';
import { convertDatabaseError, DatabaseUnavailable } from '@/lib/db/errors';
import { readInnermostMessage, UnusableDatabase } from '@/lib/db/unusable-database';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { addCorsFields } from '@/lib/enforcement/cross-origin';
import { respondToDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { classifyRoute } from '@/lib/enforcement/route-class';
import { readClientAddress } from '@/lib/http/client-address';
import { HeaderFields } from '@/lib/http/header-fields';
import { formatAddressSubject } from '@/lib/limiter/address';
import { RequestLog } from '@/lib/logging/request-log';
import type { Services } from '@/lib/operation/services';
import { type AnsweredRequest, bridge } from '@/lib/process/bridge';
import { guardServer } from '@/lib/process/guard-server';
import { loadServices } from '@/lib/process/runtime';
import { redactSecrets } from '@/lib/process/start-services';
import { readTraceId, traceRequests } from '@/lib/process/trace-requests';
import { SECOND } from '@/lib/units';

/** Longest time from the end of a request until the answer of the upstream begins. */
const LONGEST_UPSTREAM_WAIT = 60 * SECOND;

/** Pause before another try to start, without `server.mjs`. */
const RETRY_AFTER = 5 * SECOND;

/**
 * Starts the process. `server.mjs` prints the sentence of a failure and exits. Without `server.mjs`, every request
 * meets the failure again, and the start is tried again until it succeeds.
 */
export function startProcess(): Promise<void> {
  ignoreClosedOutput();
  return tryToStart(null);
}

/** @param printed the failure of the try before, which is not printed again */
async function tryToStart(printed: string | null): Promise<void> {
  const notServing = { drainSeconds: 0, logFault: () => undefined, close: async () => true };
  try {
    if (bridge.resetOwner !== undefined) {
      const { resetOwnerHere } = await import('@/lib/process/reset-owner');
      const printed = await resetOwnerHere(bridge.resetOwner);
      bridge.started?.({ ...notServing, failure: null, printed });
      return;
    }
    // Without `server.mjs`, `guardServer` passes on the address of the socket.
    bridge.peerNonce ??= randomBytes(16).toString('base64url');
    bridge.answerApi = mountApi(loadServices, () => bridge.isStopping === true);
    const services = await loadServices();
    const { config, logger } = services;
    // Timers of a frozen function would run late, in the middle of another request. See `register-after-answer.ts`.
    const stopHousekeeping = config.VERCEL
      ? async () => undefined
      : (await import('@/lib/process/housekeeping')).startHousekeeping(services);
    const callerOf = (headers: IncomingHttpHeaders) => {
      const address = readClientAddress(new HeaderFields(headers), config);
      return address === null ? 'unknown' : formatAddressSubject(address);
    };
    bridge.callerOf = callerOf;
    // `server/serve.ts` guards its own server. Vercel receives a whole request before it calls a function.
    if (bridge.started === undefined && !config.VERCEL)
      guardServer({
        headersTimeout: 12 * SECOND,
        requestTimeout: (config.SLUICE_UPSTREAM === undefined ? 14 : 300) * SECOND,
        longestUpstreamWait: LONGEST_UPSTREAM_WAIT,
        hasUpstream: config.SLUICE_UPSTREAM !== undefined,
        peerNonce: bridge.peerNonce,
        callerOf,
        addCorsFields: (answer, headers) =>
          addCorsFields(answer, { headers: new HeaderFields(headers) }, services.rules.current, null),
      });
    bridge.decide = (call, respond) => respondToDecisionCall(services, call, respond);
    if (config.SLUICE_UPSTREAM !== undefined) {
      const { createUpstreamProxy } = await import('@/lib/enforcement/upstream-proxy');
      bridge.upstream = createUpstreamProxy(services, config.SLUICE_UPSTREAM, LONGEST_UPSTREAM_WAIT);
    }
    const requestLog = new RequestLog(services);
    bridge.answered = createAnswerLogger(services, requestLog);
    bridge.traced = traceRequests(services);
    bridge.decided = (method, status, duration) =>
      services.metrics.recordResponse('decision', method, status, duration / SECOND);
    bridge.started?.({
      failure: null,
      drainSeconds: config.SLUICE_DRAIN_SECONDS,
      logFault: (fault, message, requestId) => logger.error({ requestId, err: fault }, message),
      close: () => close(services, stopHousekeeping).finally(() => flushLog(services, requestLog)),
    });
  } catch (error) {
    const failure = redactSecrets(explainError(error));
    if (bridge.started !== undefined) return bridge.started({ ...notServing, failure });
    if (failure !== printed) process.stderr.write(`${failure}\n`);
    setTimeout(() => void tryToStart(failure), RETRY_AFTER).unref();
  }
}

/**
 * Keeps the process usable if the reader of its output is gone. Next writes each uncaught error, including a failed
 * write, so it would write without end.
 */
function ignoreClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
}

/**
 * Counts and logs an answered request. Calls of the decision API are only counted, and not here, because a log line
 * would cost as much as the decision.
 */
function createAnswerLogger(
  { config, logger, metrics, tracing }: Services,
  log: RequestLog,
): (request: AnsweredRequest) => void {
  const hasUpstream = config.SLUICE_UPSTREAM !== undefined;
  return ({ requestId, method, target, status, duration, isStream, headers }) => {
    const route = classifyRoute(target, hasUpstream);
    metrics.recordResponse(route, method, status, isStream ? null : duration / SECOND);
    if (!logger.isLevelEnabled('info') && status < 500) return;
    const address = readClientAddress(new HeaderFields(headers), config)?.text ?? null;
    const traceId = tracing && readTraceId(headers);
    const line = { requestId, traceId, method, path: parsePath(target), status, duration, address };
    log.log(line, route === 'probe' || route === 'static');
  };
}

/** Runs every step, even after one failed. Returns false if any failed. */
async function close(services: Services, stopHousekeeping: () => Promise<void>): Promise<boolean> {
  const { auth, counters, database, leases, logger, tracing } = services;
  let written = true;
  const sent = tracing?.close();
  for (const step of [
    stopHousekeeping,
    () => auth.uses.flush(),
    async () => leases?.close(),
    () => counters.close(),
    async () => database.close(),
  ])
    await step().catch((fault: unknown) => {
      written = false;
      logger.error({ err: fault }, 'closing failed');
    });
  await sent;
  return written;
}

/** Logs how many lines of the last minute were omitted. */
function flushLog({ lines }: Services, requestLog: RequestLog): void {
  requestLog.flush();
  lines.flush();
}

function explainError(error: unknown): string {
  if (error instanceof UnusableDatabase || error instanceof CountersElsewhere || error instanceof NoSuchOwner)
    return error.message;
  if (error instanceof ConfigError) return `Invalid configuration.\n${error.message}`;
  if (!(error instanceof Error)) return String(error);
  if (convertDatabaseError(error) instanceof DatabaseUnavailable)
    return `DATABASE_URL names a database that cannot be read or written: ${readInnermostMessage(error)}.`;
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.name}: ${error.message}${cause}`;
}
