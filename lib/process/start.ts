import { randomUUID } from 'node:crypto';
import { markQuotaThresholds } from '@/lib/admin/alerts/mark-quota-thresholds';
import { alertWatches } from '@/lib/admin/alerts/watch';
import { CountersElsewhere } from '@/lib/admin/counter-store/claim';
import { tidy } from '@/lib/admin/housekeeping/tidy';
import { NoSuchOwner } from '@/lib/admin/members/reset-owner';
import { DeliverySender } from '@/lib/admin/webhooks/delivery-sender';
import { ConfigError } from '@/lib/config/config';
import { SWEEP_EVERY } from '@/lib/counters/leases';
import { endOfLife, SIGN_OF_LIFE, signOfLife } from '@/lib/db/running-processes';
import { UnusableDatabase } from '@/lib/db/unusable-database';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { respondToDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { classifyRoute } from '@/lib/enforcement/route-class';
import { createUpstreamProxy } from '@/lib/enforcement/upstream-proxy';
import { isOutage } from '@/lib/fault';
import { clientAddress } from '@/lib/http/client-address';
import { HeaderFields } from '@/lib/http/header-fields';
import { toSubject } from '@/lib/limiter/address';
import { RequestLog } from '@/lib/logging/request-log';
import type { Services } from '@/lib/operation/services';
import { answerApi } from '@/lib/process/answer-api';
import { type AnsweredRequest, bridge } from '@/lib/process/bridge';
import { resetOwnerHere } from '@/lib/process/reset-owner';
import { runtime, withoutSecrets } from '@/lib/process/runtime';
import { traceIdOf, traceRequests } from '@/lib/process/trace-requests';

const SECOND = 1_000;

/**
 * Starts the process. `server.mjs` prints the sentence of a failure and exits. Without `server.mjs`, every request
 * meets the failure again.
 */
export async function startProcess(): Promise<void> {
  const notServing = { drainSeconds: 0, logFault: () => undefined, close: async () => true };
  try {
    if (bridge.resetOwner !== undefined) {
      const printed = await resetOwnerHere(bridge.resetOwner);
      bridge.started?.({ ...notServing, failure: null, printed });
      return;
    }
    const services = await runtime();
    const { config, logger } = services;
    // Timers of a frozen function would run late, in the middle of another request. See `after-answer.ts`.
    const stopHousekeeping = config.VERCEL ? async () => undefined : startHousekeeping(services);
    bridge.decide = (call, respond) => respondToDecisionCall(services, call, respond);
    bridge.answerApi = answerApi;
    bridge.callerOf = (headers) => {
      const address = clientAddress(new HeaderFields(headers), config);
      return address === null ? 'unknown' : toSubject(address);
    };
    if (config.SLUICE_UPSTREAM !== undefined) bridge.upstream = createUpstreamProxy(services, config.SLUICE_UPSTREAM);
    const requestLog = new RequestLog(services);
    bridge.answered = logAnswers(services, requestLog);
    bridge.traced = traceRequests(services);
    bridge.decided = (method, status, duration) =>
      services.metrics.responded('decision', method, status, duration / SECOND);
    bridge.started?.({
      failure: null,
      drainSeconds: config.SLUICE_DRAIN_SECONDS,
      logFault: (fault, message, requestId) => logger.error({ requestId, err: fault }, message),
      close: () => close(services, stopHousekeeping).finally(() => flushLog(services, requestLog)),
    });
  } catch (error) {
    bridge.started?.({ ...notServing, failure: withoutSecrets(sentenceOf(error)) });
  }
}

/**
 * Counts and logs an answered request. Calls of the decision API are only counted, and not here, because a log line
 * would cost as much as the decision.
 */
function logAnswers(
  { config, logger, metrics, tracing }: Services,
  log: RequestLog,
): (request: AnsweredRequest) => void {
  const hasUpstream = config.SLUICE_UPSTREAM !== undefined;
  return ({ requestId, method, target, status, duration, isStream, headers }) => {
    const route = classifyRoute(target, hasUpstream);
    metrics.responded(route, method, status, isStream ? null : duration / SECOND);
    if (!logger.isLevelEnabled('info') && status < 500) return;
    const address = clientAddress(new HeaderFields(headers), config)?.text ?? null;
    const traceId = tracing && traceIdOf(headers);
    const line = { requestId, traceId, method, path: parsePath(target), status, duration, address };
    log.log(line, route === 'probe' || route === 'static');
  };
}

/**
 * Runs the periodic work of the process. It sweeps expired counters, republishes the revision to the counter store, and
 * reads the rules, which detects a restored database even without decisions. It marks quota thresholds, checks for
 * alerts, sends due webhook deliveries, and deletes expired rows.
 * @returns a function that stops it, and writes the recorder's data
 */
function startHousekeeping(services: Services): () => Promise<void> {
  const { logger, counters, database, rules, statistics, leases } = services;
  const id = randomUUID();
  const sender = new DeliverySender(services);
  const every = (milliseconds: number, failure: string, work: () => Promise<unknown>) => {
    let running = false;
    const run = async () => {
      if (running) return;
      running = true;
      await work().catch((error: unknown) => logger[isOutage(error) ? 'debug' : 'warn']({ err: error }, failure));
      running = false;
    };
    return setInterval(() => void run(), milliseconds).unref();
  };
  // Rows per sweep. In the embedded file, a pass over a million rows takes under two minutes, in steps of a few
  // milliseconds.
  const budget = counters.kind === 'embedded' ? 10_000 : 500;
  const timers = [
    every(SECOND, 'sweeping counters failed', () => counters.sweep(budget)),
    every(SECOND, 'publishing the revision to the counter store failed', () => rules.republish(counters)),
    every(2 * SECOND, 'refreshing the rules failed', () => rules.readFresh()),
    every(5 * SECOND, 'marking quota thresholds failed', () => markQuotaThresholds(services)),
    ...alertWatches(services).map(({ seconds, look }) => every(seconds * SECOND, 'looking for alerts failed', look)),
    every(SECOND, 'sending what webhooks wait for failed', () => sender.sendDue()),
    every(60 * SECOND, 'deleting expired rows failed', () => tidy(services)),
    ...(leases === undefined ? [] : [setInterval(() => leases.sweep(), SWEEP_EVERY).unref()]),
    ...(counters.kind === 'redis'
      ? [every(60 * SECOND, 'reaching the counter store failed', () => counters.ping())]
      : []),
    every(5 * SECOND, 'checking the database file failed', fileCheck(services)),
    every(SIGN_OF_LIFE, 'telling the database of this process failed', () => signOfLife(database, id)),
  ];
  statistics.start();
  signOfLife(database, id).catch((error: unknown) =>
    logger.warn({ err: error }, 'telling the database of this process failed'),
  );
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await sender.stop();
    await endOfLife(database, id).catch(() => undefined);
    await statistics.stop();
  };
}

/** Logs once that the database file was deleted or replaced. */
function fileCheck({ database, logger }: Services): () => Promise<void> {
  let logged = false;
  return async () => {
    if (logged || database.isInPlace()) return;
    logged = true;
    logger.error('the database file was deleted or replaced while it was open: changes are refused, restart Sluice');
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

function sentenceOf(error: unknown): string {
  if (error instanceof UnusableDatabase || error instanceof CountersElsewhere || error instanceof NoSuchOwner)
    return error.message;
  if (error instanceof ConfigError) return `Invalid configuration.\n${error.message}`;
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.name}: ${error.message}${cause}`;
}
