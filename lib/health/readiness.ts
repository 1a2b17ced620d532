import { HEALTH_PARTS, type HealthPart, type PartHealth } from '@/lib/health/check-health';
import { ApiError } from '@/lib/http/api-error';
import { errorResponse } from '@/lib/http/error-response';
import { requestIdOf } from '@/lib/http/request-id';

/** What readiness is judged by. */
export interface ReadinessSources {
  isShuttingDown: () => boolean;
  /** Rejects when the process could not start. */
  check: () => Promise<Record<HealthPart, PartHealth>>;
}

/** `GET /readyz`: 200 when requests may be sent here, else 503 with the parts that do not work. */
export async function readiness(request: Request, sources: ReadinessSources): Promise<Response> {
  const requestId = requestIdOf(request.headers);
  const notReady = (failing: readonly string[], sentence: string) =>
    errorResponse(
      new ApiError('service_unavailable', sentence, {
        headers: { 'Retry-After': '2' },
        details: failing.map((path) => ({ path, message: 'is not ready' })),
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
  const failing = HEALTH_PARTS.filter((part) => !parts[part].ok);
  if (failing.length > 0) return notReady(failing, `Not ready: ${failing.join(', ')}.`);
  const body = { status: 'ready', parts: Object.fromEntries(HEALTH_PARTS.map((part) => [part, { ok: true }])) };
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
