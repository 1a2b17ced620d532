import { CompareInput } from '@/lib/contract/lab';
import { createMethodNotAllowed } from '@/lib/http/api-error';
import { parseInput } from '@/lib/http/input';
import { readJson } from '@/lib/http/json-body';
import { findResponseHeader, listBlockingControls, recordExchange } from '@/lib/oauth/assessment/exchange';
import { CONTROLS_HEADER } from '@/lib/oauth/lab/controls-header';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import { createOverlayState } from '@/lib/oauth/lab/memory-state';
import { WAIVED_HEADER } from '@/lib/oauth/lab/respond';
import type { LabServices } from '@/lib/oauth/lab/services';

/**
 * Handles `POST /auth/compare`: sends a request to the lab, and simulates it with every control on.
 * Answers `{given, secure, blocked_by}`. It is as open as the lab, because it can do nothing that the lab's endpoints
 * cannot.
 * @throws ApiError bad_request, invalid_request, method_not_allowed, payload_too_large, unsupported_media_type
 */
export async function compareInLab(request: Request, lab: LabServices, clock: () => number): Promise<Response> {
  const allow = 'POST, OPTIONS';
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } });
  if (request.method !== 'POST') throw createMethodNotAllowed(allow);
  const { method, path, headers, body } = parseInput(CompareInput, await readJson(request, { required: true }), 'body');
  const inner = new Request(lab.origin + path, { method, headers, ...(method === 'POST' ? { body: body ?? '' } : {}) });
  const { given, secure, blockedBy } = await compareRequest(inner, lab, clock);
  return Response.json({ given, secure, blocked_by: blockedBy }, { headers: { 'Cache-Control': 'no-store' } });
}

/**
 * Sends a request to the lab twice, both with the same time.
 * The first run has every control on, and changes only an overlay of the state, so it does not use up a code. The
 * second run is real and changes the state.
 * @returns both exchanges, and the controls that refuse the request in the secure configuration, or would refuse it
 */
export async function compareRequest(request: Request, lab: LabServices, clock: () => number) {
  const now = lab.now();
  const fixed: LabServices = { ...lab, now: () => now };
  const secureRequest = request.clone();
  secureRequest.headers.delete(CONTROLS_HEADER);
  const record = (label: string, sent: Request, services: LabServices) =>
    recordExchange(label, sent, { transport: (request) => handleLabRequest(request, services), clock });
  const secure = await record('Secure configuration', secureRequest, {
    ...fixed,
    state: createOverlayState(lab.state),
  });
  const given = await record('As configured', request, fixed);
  const waived = findResponseHeader(given, WAIVED_HEADER)?.split(', ') ?? [];
  return { given, secure, blockedBy: [...new Set([...listBlockingControls(secure), ...waived])] };
}
