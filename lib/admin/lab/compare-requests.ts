import { CompareInput } from '@/lib/contract/lab-comparison';
import { methodNotAllowed } from '@/lib/http/api-error';
import { parseInput } from '@/lib/http/input';
import { readJson } from '@/lib/http/json-body';
import { compareRequest } from '@/lib/oauth/builder/compare';
import type { LabServices } from '@/lib/oauth/lab/services';

/**
 * `POST /auth/compare`: sends a request to the lab for real, and the same with every control on without effect; answers
 * `{given, secure, blocked_by}`. Open to whoever may use the lab: it can do nothing that the lab's endpoints cannot.
 * @throws ApiError bad_request, invalid_request, method_not_allowed, payload_too_large, unsupported_media_type
 */
export async function compareInLab(request: Request, lab: LabServices, clock: () => number): Promise<Response> {
  const Allow = 'POST, OPTIONS';
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow } });
  if (request.method !== 'POST') throw methodNotAllowed(Allow);
  const { method, path, headers, body } = parseInput(CompareInput, await readJson(request, { required: true }), 'body');
  const inner = new Request(lab.origin + path, { method, headers, ...(method === 'POST' ? { body: body ?? '' } : {}) });
  const { given, secure, blockedBy } = await compareRequest(inner, lab, clock);
  return Response.json({ given, secure, blocked_by: blockedBy }, { headers: { 'Cache-Control': 'no-store' } });
}
