import type { HealthPart, PartHealth } from '@/lib/admin/service/check-health';
import { HEALTH_PARTS } from '@/lib/contract/service';
import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

/**
 * `GET /readyz`: 200 while this process can serve requests, `ready` or `degraded` with the parts that are down. 503
 * while the process stops, before it has started (and read its first rules), and when the open database file is not the
 * one at its path; with `strict=true` also when any part is down.
 * @param sources `check` rejects when the process could not start
 */
export async function readiness(
  request: Request,
  sources: { isStopping: () => boolean; check: () => Promise<Record<HealthPart, PartHealth>> },
): Promise<Response> {
  const requestId = requestIdOf(request.headers);
  const notReady = (down: readonly string[], sentence: string) =>
    errorResponse(
      new ApiError('service_unavailable', sentence, {
        headers: { 'Retry-After': '2' },
        details: down.map((path) => ({ path, message: 'is not ready' })),
      }),
      request.headers.get('accept'),
      requestId,
    );
  if (sources.isStopping()) return notReady(['process'], 'The process is shutting down.');
  const parts = await sources.check().catch(() => null);
  if (parts === null) return notReady(['process'], 'The process could not start; its log says why.');
  const down = HEALTH_PARTS.filter((part) => !parts[part].ok);
  if (!parts.database_file.ok) {
    return notReady(down, 'The database file was deleted or replaced while it was open: restart Sluice.');
  }
  const strict = new URL(request.url).searchParams.get('strict') === 'true';
  if (strict && down.length > 0) return notReady(down, `Not ready: ${down.join(', ')}.`);
  const body = {
    status: down.length === 0 ? 'ready' : 'degraded',
    parts: Object.fromEntries(HEALTH_PARTS.map((part) => [part, { ok: parts[part].ok }])),
  };
  return Response.json(body, { headers: headersOf(requestId) });
}

/** `GET /healthz`: the process answers. It checks nothing else, so a database that is down restarts no process. */
export function liveness(request: Request): Response {
  return Response.json({ status: 'ok' }, { headers: headersOf(requestIdOf(request.headers)) });
}

function headersOf(requestId: string): Record<string, string> {
  return { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': requestId };
}
