import { HEALTH_PARTS } from '@/lib/contract/service';
import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';
import type { HealthPart, PartHealth } from '@/lib/process/health/check-health';

/** What readiness is judged by. */
export interface ReadinessSources {
  isShuttingDown: () => boolean;
  /** Rejects when the process could not start. */
  check: () => Promise<Record<HealthPart, PartHealth>>;
}

/**
 * `GET /readyz`: 200 while sending requests here makes sense, `ready` or `degraded` with the parts that are down. 503
 * while the process stops, before it has started (and read its first rules), and when the open database file is not
 * the one at its path; with `strict=true` also when any part is down.
 */
export async function readiness(request: Request, sources: ReadinessSources): Promise<Response> {
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
  if (sources.isShuttingDown()) return notReady(['process'], 'The process is shutting down.');
  let parts: Record<HealthPart, PartHealth>;
  try {
    parts = await sources.check();
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
    parts: Object.fromEntries(HEALTH_PARTS.map((part) => [part, { ok: parts[part].ok }])),
  };
  return Response.json(body, {
    headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'X-Request-Id': requestId },
  });
}

/** `GET /healthz`: the process answers. Nothing else is looked at, so that a lost database restarts nothing. */
export function liveness(request: Request): Response {
  const headers = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestIdOf(request.headers),
  };
  return Response.json({ status: 'ok' }, { headers });
}
