import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { methodNotAllowed } from '@/lib/http/api-error';
import { pushRequest } from '@/lib/oauth/lab/authorization-request';
import { authorizeByGet, authorizeByPost, decideConsent } from '@/lib/oauth/lab/authorize';
import { CONTROLS_HEADER, readControlsHeader } from '@/lib/oauth/lab/controls-header';
import { readData } from '@/lib/oauth/lab/data';
import { introspectToken, revokeToken } from '@/lib/oauth/lab/introspect-and-revoke';
import { describeServer, publishKeys } from '@/lib/oauth/lab/metadata';
import { markWeakened, refuse, Violations } from '@/lib/oauth/lab/respond';
import type { LabHandler, LabServices } from '@/lib/oauth/lab/services';
import { exchangeToken } from '@/lib/oauth/lab/token';

const ENDPOINTS = new Map<string, Partial<Record<string, LabHandler>>>([
  [LAB_PATHS.authorize, { GET: authorizeByGet, POST: authorizeByPost }],
  [LAB_PATHS.decision, { POST: decideConsent }],
  [LAB_PATHS.par, { POST: pushRequest }],
  [LAB_PATHS.token, { POST: exchangeToken }],
  [LAB_PATHS.revoke, { POST: revokeToken }],
  [LAB_PATHS.introspect, { POST: introspectToken }],
  [LAB_PATHS.jwks, { GET: publishKeys }],
  [LAB_PATHS.data, { GET: readData }],
  [LAB_PATHS.metadata, { GET: describeServer }],
  [LAB_PATHS.discovery, { GET: describeServer }],
]);

/** What clients in a browser call themselves, from any origin and without cookies. */
const CALLED_BY_SCRIPTS = new Set<string>([
  LAB_PATHS.par,
  LAB_PATHS.token,
  LAB_PATHS.revoke,
  LAB_PATHS.jwks,
  LAB_PATHS.data,
  LAB_PATHS.metadata,
  LAB_PATHS.discovery,
]);
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, DPoP, Sluice-Lab-Controls',
  'Access-Control-Expose-Headers': 'WWW-Authenticate, DPoP-Nonce, Retry-After',
} as const;

/**
 * The whole lab: finds the endpoint, reads the controls, answers. The mounted routes, the assessment's sandbox and compare
 * mode all come in here.
 */
export async function handleLabRequest(request: Request, lab: LabServices): Promise<Response> {
  const path = new URL(request.url).pathname;
  const endpoint = ENDPOINTS.get(path);
  if (endpoint === undefined) {
    return refuse([{ control: null, error: 'not_found', description: 'The lab has no such endpoint.' }]);
  }
  const methods = Object.keys(endpoint).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = [...methods, 'OPTIONS'].join(', ');
  const cors: Readonly<Record<string, string>> = CALLED_BY_SCRIPTS.has(path)
    ? { ...CORS, 'Access-Control-Allow-Methods': allow }
    : {};
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow, ...cors } });
  const handler = endpoint[request.method === 'HEAD' ? 'GET' : request.method];
  if (handler === undefined) {
    const { description, headers } = methodNotAllowed(allow);
    const control = path === LAB_PATHS.token ? 'token-post-only' : null;
    return refuse([{ control, error: 'method_not_allowed', description }], headers);
  }
  const reading = readControlsHeader(request.headers.get(CONTROLS_HEADER));
  if (!reading.ok) return refuse([{ control: null, error: 'invalid_request', description: reading.problem }]);
  const violations = new Violations(reading.controls);
  const answer = markWeakened(await handler(request, { ...lab, controls: reading.controls }, violations), violations);
  for (const [name, value] of Object.entries(cors)) answer.headers.set(name, value);
  return request.method === 'HEAD' ? new Response(null, answer) : answer;
}
