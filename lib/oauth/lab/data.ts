import { type AccessTokenClaims, readAccessToken } from '@/lib/oauth/lab/access-token';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import { type ControlSwitch, type Controls, switchedOff } from '@/lib/oauth/lab/controls';
import { checkDpopProof } from '@/lib/oauth/lab/dpop-proof';
import { answerJson, markWeakened, refuse } from '@/lib/oauth/lab/respond';
import type { LabServices } from '@/lib/oauth/lab/services';
import { applyControls, controlsOf, type Violation } from '@/lib/oauth/lab/violation';

/** The scope that `/api/data` asks for. */
export const DATA_SCOPE = 'profile';

/** What the resource server checks, in the order of the catalogue. */
const CHECKED = [
  'validate-audience',
  'signature-verified',
  'alg-none',
  'alg-confusion',
  'token-expiry',
  'issuer-validated',
  'token-type-header',
  'scope-enforced',
  'no-token-in-query',
  'sender-constrained',
  'not-before',
  'revocation-effective',
  'revocation-cascade',
] as const satisfies readonly ControlSwitch[];

/** The token of a request and how it was sent, or that there is none. */
type Presented = { token: string; scheme: 'bearer' | 'dpop' | 'query' } | null;

/** `GET /api/data`: the resource server (RFC 6750, RFC 9068 section 4). */
export async function readData(request: Request, controls: Controls, lab: LabServices): Promise<Response> {
  const violations: Violation[] = [];
  const presented = findToken(request, violations);
  let claims: AccessTokenClaims | null = null;
  if (presented !== null) {
    const reading = await readAccessToken(presented.token, lab);
    claims = reading.claims;
    violations.push(...reading.violations);
    if (claims !== null) {
      violations.push(...(await checkBinding(request, presented, claims, lab)));
      if (!claims.scope.split(' ').includes(DATA_SCOPE)) {
        const description = `The access token does not have the scope ${DATA_SCOPE}.`;
        violations.push({ control: 'scope-enforced', error: 'insufficient_scope', description, status: 403 });
      }
    }
  }
  const { refusing, waived } = applyControls(violations, controls);
  const answer = refusing.length > 0 || claims === null ? refuseData(refusing) : answerData(claims, controls, waived);
  return markWeakened(answer, controls, waived);
}

/** RFC 6750 section 2: the header, and never the query (RFC 9700 section 4.3.2). */
function findToken(request: Request, violations: Violation[]): Presented {
  const note = (control: Violation['control'], description: string, status = 401) =>
    violations.push({ control, error: status === 401 ? 'invalid_token' : 'invalid_request', description, status });
  const inQuery = new URL(request.url).searchParams.getAll('access_token');
  if (inQuery.length > 0) note('no-token-in-query', 'An access token in the URL is not accepted.');
  const header = request.headers.get('authorization');
  if (header === null) {
    const token = inQuery[0];
    if (token !== undefined) return { token, scheme: 'query' };
    note(null, 'An access token is required.');
    return null;
  }
  if (inQuery.length > 0) note(null, 'The access token is sent by more than one method.', 400);
  const match = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i.exec(header);
  const [, scheme, token] = match ?? [];
  if (scheme === undefined || token === undefined) {
    note(null, 'The Authorization header does not carry one Bearer token.');
    return null;
  }
  return { token, scheme: scheme.toLowerCase() === 'dpop' ? 'dpop' : 'bearer' };
}

/** RFC 9449 section 7: a token that is bound to a key comes with a proof of that key. */
async function checkBinding(
  request: Request,
  presented: NonNullable<Presented>,
  claims: AccessTokenClaims,
  lab: LabServices,
) {
  const problem = (description: string): Violation[] => [
    { control: 'sender-constrained', error: 'invalid_token', description, status: 401 },
  ];
  const proof = request.headers.get('dpop');
  if (claims.thumbprint === null) {
    return presented.scheme === 'dpop' ? problem('The access token is not bound to a key.') : [];
  }
  if (presented.scheme !== 'dpop' || proof === null)
    return problem('The access token is bound to a key without proof of possession.');
  const reading = await checkDpopProof(proof, request, lab, presented.token);
  if (!reading.ok) return problem(reading.problem);
  return reading.thumbprint === claims.thumbprint ? [] : problem('The proof is for another key.');
}

/** RFC 6750 section 3: the worst problem decides, 400 before 401 before 403. Without a token there is no error code. */
function refuseData(refusing: readonly Violation[]): Response {
  const sorted = [...refusing].sort((a, b) => (a.status ?? 400) - (b.status ?? 400));
  const first = sorted[0];
  const bare = first?.description === 'An access token is required.';
  const parts = ['realm="sluice-lab"'];
  if (first !== undefined && !bare) {
    parts.push(`error="${first.error}"`, `error_description="${first.description.replaceAll('"', "'")}"`);
    if (first.error === 'insufficient_scope') parts.push(`scope="${DATA_SCOPE}"`);
  }
  return refuse(sorted, { headers: { 'WWW-Authenticate': `Bearer ${parts.join(', ')}` } });
}

function answerData(claims: AccessTokenClaims, controls: Controls, waived: readonly Violation[]): Response {
  const off = switchedOff(controls);
  return answerJson(200, {
    subject: claims.subject,
    client_id: claims.clientId,
    scope: claims.scope,
    audience: claims.audience,
    issuer: claims.issuer,
    expires_at: expiry(claims),
    data: { name: DEMO_USER.name, message: 'You have reached the protected resource.' },
    validated: CHECKED.filter((id) => controls[id]),
    not_validated: CHECKED.filter((id) => !controls[id]),
    insecure: off.length > 0,
    would_be_blocked_by: controlsOf(waived),
  });
}

function expiry(claims: AccessTokenClaims): string | null {
  const date = new Date((claims.expiresAt ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
