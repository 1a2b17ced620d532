import type { HealthPart, PartHealth } from '@/lib/admin/service/check-health';
import { HEALTH_PARTS } from '@/lib/contract/service';
import { ApiError } from '@/lib/http/api-error';
import { uncached } from '@/lib/http/error-answer';
import { refuseRequest } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

/**
 * Handles `GET /readyz`. Answers 200 if this process can serve requests: `ready`, or `degraded` with the parts that are
 * down. Answers 503 before the process has started and read its first rules, and while it stops. Also answers 503 if
 * the open database file is not the one at its path. With `strict=true`, any part that is down gives 503.
 * @param check rejects if the process could not start
 */
export async function readiness(
  request: Request,
  { isStopping, check }: { isStopping: () => boolean; check: () => Promise<Record<HealthPart, PartHealth>> },
): Promise<Response> {
  const headers = { 'Retry-After': '2' };
  const notReady = (down: readonly string[], sentence: string) => {
    const details = down.map((path) => ({ path, message: 'is not ready' }));
    return refuseRequest(request, new ApiError('service_unavailable', sentence, { headers, details }));
  };
  if (isStopping()) return notReady(['process'], 'The process is shutting down.');
  let parts: Record<HealthPart, PartHealth>;
  try {
    parts = await check();
  } catch {
    return notReady(['process'], 'The process could not start; its log says why.');
  }
  const down = HEALTH_PARTS.filter((part) => !parts[part].ok);
  if (!parts.database_file.ok) {
    return notReady(down, 'The database file was deleted or replaced while it was open: restart Sluice.');
  }
  const strict = new URL(request.url).searchParams.get('strict') === 'true';
  if (strict && down.length > 0) return notReady(down, `Not ready: ${down.join(', ')}.`);
  const body = {
    status: down.length === 0 ? 'ready' : 'degraded',
    parts: Object.fromEntries(HEALTH_PARTS.map((part) => [part, shownPart(parts[part])])),
  };
  return Response.json(body, { headers: uncached(requestIdOf(request.headers)) });
}

const shownPart = ({ ok, cluster }: PartHealth) => ({ ok, ...(cluster === undefined ? {} : { cluster }) });

/**
 * Handles `GET /healthz`: the process answers. It checks nothing else, so an unavailable database restarts no process.
 */
export function liveness(request: Request): Response {
  return Response.json({ status: 'ok' }, { headers: uncached(requestIdOf(request.headers)) });
}
