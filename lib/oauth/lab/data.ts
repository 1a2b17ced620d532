import { type AccessTokenClaims, readAccessToken } from '@/lib/oauth/lab/access-token';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import { RESOURCE_CONTROLS, switchedOff } from '@/lib/oauth/lab/controls';
import { checkDpopProof, DPOP_ALGORITHMS } from '@/lib/oauth/lab/dpop-proof';
import { answerJson, controlsOf, refuse, statusOf, type Violation, type Violations } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler } from '@/lib/oauth/lab/services';

export const DATA_SCOPE = 'profile';
const NO_TOKEN = 'An access token is required.';

/** `GET /api/data`: the resource server (RFC 6750, RFC 9068 section 4). */
export const readData: LabHandler = async (request, lab, violations) => {
  const presented = findToken(request, violations);
  const claims = presented === null ? null : await readAccessToken(presented.token, violations, lab);
  if (presented !== null && claims !== null) {
    const problem = await bindingProblem(request, presented, claims, lab);
    if (problem !== null) violations.note('sender-constrained', problem, 'invalid_token');
    if (!claims.scope.split(' ').includes(DATA_SCOPE)) {
      const description = `The access token does not have the scope ${DATA_SCOPE}.`;
      violations.note('scope-enforced', description, 'insufficient_scope');
    }
  }
  const { refusing, waived } = violations;
  if (refusing.length > 0 || claims === null) return refuseData(refusing);
  const expiry = new Date((claims.exp ?? Number.NaN) * 1000);
  return answerJson(200, {
    subject: claims.sub,
    client_id: claims.client_id,
    scope: claims.scope,
    audience: claims.aud,
    issuer: claims.iss,
    expires_at: Number.isNaN(expiry.getTime()) ? null : expiry.toISOString(),
    data: { name: DEMO_USER.name, message: 'You have reached the protected resource.' },
    validated: RESOURCE_CONTROLS.filter((id) => lab.controls[id]),
    not_validated: RESOURCE_CONTROLS.filter((id) => !lab.controls[id]),
    insecure: switchedOff(lab.controls).length > 0,
    would_be_blocked_by: controlsOf(waived),
  });
};

/** RFC 6750 section 2: the header, never the query (RFC 9700 section 4.3.2). Null without a token, which is noted. */
function findToken(request: Request, violations: Violations): { token: string; isDpop: boolean } | null {
  const inQuery = new URL(request.url).searchParams.get('access_token');
  if (inQuery !== null) {
    violations.note('no-token-in-query', 'An access token in the URL is not accepted.', 'invalid_token');
  }
  const header = request.headers.get('authorization');
  if (header === null) {
    if (inQuery === null) violations.note(null, NO_TOKEN, 'invalid_token');
    return inQuery === null ? null : { token: inQuery, isDpop: false };
  }
  if (inQuery !== null) violations.note(null, 'The access token is sent by more than one method.');
  const [, scheme, token] = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i.exec(header) ?? [];
  if (token !== undefined) return { token, isDpop: scheme?.toLowerCase() === 'dpop' };
  violations.note(null, 'The Authorization header does not carry one Bearer token.', 'invalid_token');
  return null;
}

/** What is wrong with the proof of a token that is bound to a key (RFC 9449 section 7), or null. */
async function bindingProblem(
  request: Request,
  { isDpop, token }: { isDpop: boolean; token: string },
  { cnf }: AccessTokenClaims,
  lab: Lab,
): Promise<string | null> {
  const proof = request.headers.get('dpop');
  if (cnf === null) return isDpop ? 'The access token is not bound to a key.' : null;
  if (!isDpop || proof === null) return 'The access token is bound to a key without proof of possession.';
  const reading = await checkDpopProof(proof, request, lab, token);
  if (!reading.ok) return reading.problem;
  return reading.thumbprint === cnf.jkt ? null : 'The proof is for another key.';
}

/** RFC 6750 section 3: the worst problem decides, 400 before 401 before 403. Without a token there is no error code. */
function refuseData(refusing: readonly Violation[]): Response {
  const sorted = refusing.toSorted((a, b) => statusOf(a) - statusOf(b));
  const [first] = sorted;
  const parts = ['realm="sluice-lab"'];
  if (first !== undefined && first.description !== NO_TOKEN) {
    parts.push(`error="${first.error}"`, `error_description="${first.description.replaceAll('"', "'")}"`);
    if (first.error === 'insufficient_scope') parts.push(`scope="${DATA_SCOPE}"`);
  }
  const text = parts.join(', ');
  // RFC 9449 section 7.1
  return refuse(sorted, { 'WWW-Authenticate': `Bearer ${text}, DPoP ${text}, algs="${DPOP_ALGORITHMS.join(' ')}"` });
}
