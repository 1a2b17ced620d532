import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { authorizeByGet, authorizeByPost, decideConsent } from '@/lib/oauth/lab/authorize';
import { CONTROLS_HEADER, readControlsHeader } from '@/lib/oauth/lab/controls-header';
import { readData } from '@/lib/oauth/lab/data';
import { introspectToken } from '@/lib/oauth/lab/introspect';
import { describeServer, publishKeys } from '@/lib/oauth/lab/metadata';
import { pushRequest } from '@/lib/oauth/lab/pushed-request';
import { markWeakened, refuse, Violations } from '@/lib/oauth/lab/respond';
import { revokeToken } from '@/lib/oauth/lab/revoke';
import type { LabHandler, LabServices } from '@/lib/oauth/lab/services';
import { exchangeToken } from '@/lib/oauth/lab/token';

type LabEndpoint = Partial<Record<string, LabHandler>>;

const ENDPOINTS = new Map<string, LabEndpoint>([
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

/**
 * The whole lab: finds the endpoint, reads the controls, answers. The mounted routes, the assessment's sandbox and compare
 * mode all come in here.
 */
export async function handleLabRequest(request: Request, lab: LabServices): Promise<Response> {
  const endpoint = ENDPOINTS.get(new URL(request.url).pathname);
  if (endpoint === undefined) {
    return refuse([{ control: null, error: 'not_found', description: 'The lab has no such endpoint.', status: 404 }]);
  }
  const allow = allowedMethods(endpoint);
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { Allow: allow } });
  const handler = endpoint[request.method === 'HEAD' ? 'GET' : request.method];
  if (handler === undefined) return wrongMethod(request, allow);

  const reading = readControlsHeader(request.headers.get(CONTROLS_HEADER));
  if (!reading.ok) return refuse([{ control: null, error: 'invalid_request', description: reading.problem }]);
  const asked = { ...lab, controls: reading.controls };
  const violations = new Violations(reading.controls);
  const answer = markWeakened(await handler(request, asked, violations), asked.controls, violations);
  return request.method === 'HEAD' ? new Response(null, answer) : answer;
}

function allowedMethods(endpoint: LabEndpoint): string {
  return [...('GET' in endpoint ? ['GET', 'HEAD'] : []), ...('POST' in endpoint ? ['POST'] : []), 'OPTIONS'].join(', ');
}

function wrongMethod(request: Request, allow: string): Response {
  const isToken = new URL(request.url).pathname === LAB_PATHS.token;
  const control = isToken ? 'token-post-only' : null;
  const description = `This endpoint answers ${allow}.`;
  return refuse([{ control, error: 'method_not_allowed', description, status: 405 }], { headers: { Allow: allow } });
}
