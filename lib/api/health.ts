import { checkHealth, type HealthPart, type PartHealth } from '@/lib/admin/service/check-health';
import { HEALTH_PARTS, readHealth, readReadiness } from '@/lib/contract/service';
import { locateMigrations } from '@/lib/db/migrate';
import { ApiError } from '@/lib/http/api-error';
import { createUncachedHeaders } from '@/lib/http/error-answer';
import { buildWholeResponse, refuseRequest } from '@/lib/http/error-response';
import { createResourceHandlers, type Handler, type Handlers } from '@/lib/http/methods';
import { readRequestId } from '@/lib/http/request-id';
import type { Services } from '@/lib/operation/services';

/**
 * Creates the handlers of `/healthz` and `/readyz`, by path. They also answer when the process could not start.
 * @param services rejects if the process could not start
 */
export function createHealthHandlers(
  services: () => Promise<Services>,
  isStopping: () => boolean,
): Readonly<Record<string, Handlers<Handler>>> {
  const check = async () => {
    const { config, database, counters, breaker } = await services();
    const monotonic = () => performance.now();
    return checkHealth({
      database,
      counters,
      breaker,
      migrationsFolder: locateMigrations(config.directory),
      monotonic,
    });
  };
  const answerReadiness: Handler = (request) => handleReadiness(request, { isStopping, check });
  return {
    [readHealth.path]: createResourceHandlers({ GET: handleLiveness }),
    [readReadiness.path]: createResourceHandlers({ GET: answerReadiness }),
  };
}

/**
 * Handles `GET /readyz`. Answers 200 if this process can serve requests: `ready`, or `degraded` with the parts that are
 * down. Answers 503 before the process has started and read its first rules, and while it stops. Also answers 503 if
 * the open database file is not the one at its path. With `strict=true`, any part that is down gives 503.
 * @param check rejects if the process could not start
 */
export async function handleReadiness(
  request: Request,
  { isStopping, check }: { isStopping: () => boolean; check: () => Promise<Record<HealthPart, PartHealth>> },
): Promise<Response> {
  const headers = { 'Retry-After': '2' };
  const answerUnready = (down: readonly string[], sentence: string) => {
    const details = down.map((path) => ({ path, message: 'is not ready' }));
    return refuseRequest(request, new ApiError('service_unavailable', sentence, { headers, details }));
  };
  if (isStopping()) return answerUnready(['process'], 'The process is shutting down.');
  let parts: Record<HealthPart, PartHealth>;
  try {
    parts = await check();
  } catch {
    return answerUnready(['process'], 'The process could not start; its log says why.');
  }
  const down = HEALTH_PARTS.filter((part) => !parts[part].ok);
  if (!parts.database_file.ok) {
    return answerUnready(down, 'The database file was deleted or replaced while it was open: restart Sluice.');
  }
  const strict = new URL(request.url).searchParams.get('strict') === 'true';
  if (strict && down.length > 0) return answerUnready(down, `Not ready: ${down.join(', ')}.`);
  const body = {
    status: down.length === 0 ? 'ready' : 'degraded',
    parts: Object.fromEntries(HEALTH_PARTS.map((part) => [part, pickPublicFields(parts[part])])),
  };
  return createJsonResponse(request, body);
}

const pickPublicFields = ({ ok, cluster }: PartHealth) => ({ ok, ...(cluster === undefined ? {} : { cluster }) });

/**
 * Handles `GET /healthz`: the process answers. It checks nothing else, so an unavailable database restarts no process.
 */
export function handleLiveness(request: Request): Response {
  return createJsonResponse(request, { status: 'ok' });
}

function createJsonResponse(request: Request, body: object): Response {
  const headers = createUncachedHeaders(readRequestId(request.headers), { 'Content-Type': 'application/json' });
  return buildWholeResponse({ status: 200, headers, body: JSON.stringify(body) });
}
