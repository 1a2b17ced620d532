import { z } from 'zod';
import { ApiError } from '@/lib/http/api-error';
import { readJson } from '@/lib/http/json-body';
import { compareRequest } from '@/lib/oauth/builder/compare';
import { LAB_PATHS, type LabServices } from '@/lib/oauth/lab/services';
import { parse } from '@/lib/operation/endpoint';

const paths: readonly string[] = Object.values(LAB_PATHS);
const HeaderText = z
  .string()
  .max(16_384)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');

/** A request to one of the lab's endpoints, as the builder would send it. */
export const CompareInput = z.strictObject({
  method: z.enum(['GET', 'POST']),
  path: z
    .string()
    .max(8_192)
    .refine((path) => paths.includes(path.split('?')[0] ?? ''), 'must be an endpoint of the lab'),
  headers: z.array(z.tuple([z.string().regex(/^[A-Za-z0-9-]{1,64}$/), HeaderText])).max(20),
  body: z.string().max(65_536).nullable(),
});

/**
 * `POST /auth/compare`: sends a request to the lab for real, and the same with every control on without effect; answers
 * `{given, secure, blocked_by}`. Open to whoever may use the lab: it can do nothing that the lab's endpoints cannot.
 * @throws ApiError bad_request, invalid_request, method_not_allowed, payload_too_large, unsupported_media_type
 */
export async function compareInLab(request: Request, lab: LabServices, clock: () => number): Promise<Response> {
  const allow = { Allow: 'POST, OPTIONS' };
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: allow });
  if (request.method !== 'POST') {
    throw new ApiError('method_not_allowed', `This endpoint answers ${allow.Allow}.`, { headers: allow });
  }
  const { method, path, headers, body } = parse(CompareInput, await readJson(request, { required: true }), 'body');
  const inner = new Request(lab.origin + path, { method, headers, ...(method === 'POST' ? { body: body ?? '' } : {}) });
  const { given, secure, blockedBy } = await compareRequest(inner, lab, clock);
  return Response.json({ given, secure, blocked_by: blockedBy }, { headers: { 'Cache-Control': 'no-store' } });
}
