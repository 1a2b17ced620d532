import { CALLED_BY_SCRIPTS, CROSS_ORIGIN, DATA_METADATA_PATH, LAB_PATHS } from '@/lib/contract/lab-paths';
import { createMethodNotAllowed } from '@/lib/http/api-error';
import { authorizeByGet, authorizeByPost, decideConsent } from '@/lib/oauth/lab/authorize';
import { CONTROLS_HEADER, readControlsHeader } from '@/lib/oauth/lab/controls-header';
import { readData } from '@/lib/oauth/lab/data';
import { authorizeDevice } from '@/lib/oauth/lab/device-authorization';
import { answerDeviceByPost, decideDevice, showDevicePage } from '@/lib/oauth/lab/device-page';
import { introspectToken, revokeToken } from '@/lib/oauth/lab/introspect-and-revoke';
import { decideLogout, logOut } from '@/lib/oauth/lab/logout';
import { describeServer, publishKeys } from '@/lib/oauth/lab/metadata';
import { pushRequest } from '@/lib/oauth/lab/pushed-request';
import { describeResource } from '@/lib/oauth/lab/resources';
import { markWeakened, refuse, Violations } from '@/lib/oauth/lab/respond';
import type { LabHandler, LabServices } from '@/lib/oauth/lab/services';
import { exchangeToken } from '@/lib/oauth/lab/token';
import { readUserinfo } from '@/lib/oauth/lab/userinfo';

const ENDPOINTS = new Map<string, Partial<Record<string, LabHandler>>>([
  [LAB_PATHS.authorize, { GET: authorizeByGet, POST: authorizeByPost }],
  [LAB_PATHS.decision, { POST: decideConsent }],
  [LAB_PATHS.logout, { GET: logOut, POST: logOut }],
  [LAB_PATHS.logoutDecision, { POST: decideLogout }],
  [LAB_PATHS.par, { POST: pushRequest }],
  [LAB_PATHS.deviceAuthorization, { POST: authorizeDevice }],
  [LAB_PATHS.device, { GET: showDevicePage, POST: answerDeviceByPost }],
  [LAB_PATHS.deviceDecision, { POST: decideDevice }],
  [LAB_PATHS.token, { POST: exchangeToken }],
  [LAB_PATHS.revoke, { POST: revokeToken }],
  [LAB_PATHS.introspect, { POST: introspectToken }],
  [LAB_PATHS.userinfo, { GET: readUserinfo, POST: readUserinfo }],
  [LAB_PATHS.jwks, { GET: publishKeys }],
  [LAB_PATHS.data, { GET: readData }],
  [LAB_PATHS.metadata, { GET: describeServer }],
  [LAB_PATHS.discovery, { GET: describeServer }],
  [LAB_PATHS.resourceMetadata, { GET: describeResource }],
  [DATA_METADATA_PATH, { GET: describeResource }],
]);

const PREFLIGHT = {
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, DPoP, Sluice-Lab-Controls',
  'Access-Control-Max-Age': '7200',
};

/**
 * Handles every request to the lab: finds the endpoint, reads the controls, answers. The mounted routes, the
 * assessment's sandbox and compare mode all call this function.
 */
export async function handleLabRequest(request: Request, lab: LabServices): Promise<Response> {
  const path = new URL(request.url).pathname;
  const answer = await answerRequest(request, path, lab);
  if (CALLED_BY_SCRIPTS.has(path)) {
    for (const [name, value] of Object.entries(CROSS_ORIGIN)) answer.headers.set(name, value);
  }
  return request.method === 'HEAD' ? new Response(null, answer) : answer;
}

async function answerRequest(request: Request, path: string, lab: LabServices): Promise<Response> {
  const endpoint = ENDPOINTS.get(path);
  if (endpoint === undefined) {
    return refuse([{ control: null, error: 'not_found', description: 'The lab has no such endpoint.' }]);
  }
  const methods = Object.keys(endpoint).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') {
    const preflight = CALLED_BY_SCRIPTS.has(path) ? { ...PREFLIGHT, 'Access-Control-Allow-Methods': allow } : {};
    return new Response(null, { status: 204, headers: { Allow: allow, ...preflight } });
  }
  const handler = endpoint[request.method === 'HEAD' ? 'GET' : request.method];
  if (handler === undefined) {
    const { description, headers } = createMethodNotAllowed(allow);
    const control = path === LAB_PATHS.token ? 'token-post-only' : null;
    return refuse([{ control, error: 'method_not_allowed', description }], headers);
  }
  const reading = readControlsHeader(request.headers.get(CONTROLS_HEADER));
  if (!reading.ok) return refuse([{ control: null, error: 'invalid_request', description: reading.problem }]);
  const { controls, requirements } = reading;
  const violations = new Violations(controls);
  return markWeakened(await handler(request, { ...lab, controls, requirements }, violations), violations);
}
