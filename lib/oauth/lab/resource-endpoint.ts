import { readMediaType } from '@/lib/http/json-body';
import { type AccessTokenClaims, readAccessToken } from '@/lib/oauth/lab/access-token';
import { checkDpopProof, listDpopAlgorithms } from '@/lib/oauth/lab/dpop-proof';
import { readBody } from '@/lib/oauth/lab/parameters';
import { findStatus, refuse, type Violation, type Violations } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler } from '@/lib/oauth/lab/services';

const NO_TOKEN = 'An access token is required.';

interface PresentedToken {
  token: string;
  isDpop: boolean;
}

/** A protected resource of the lab. */
interface ProtectedResource {
  /** Scope that a token must have. */
  scope: string;
  /** Path of its metadata (RFC 9728 section 3), if it has any. */
  metadataPath?: string;
  answer: (claims: AccessTokenClaims, lab: Lab, violations: Violations) => Response;
}

/** Creates an endpoint that requires an access token (RFC 6750, RFC 9068 section 4, RFC 9449 section 7). */
export function createResourceEndpoint({ scope, metadataPath, answer }: ProtectedResource): LabHandler {
  return async (request, lab, violations) => {
    const presented = await findToken(request, violations);
    const claims = presented === null ? null : await readAccessToken(presented.token, violations, lab);
    if (presented !== null && claims !== null) {
      await checkBinding(request, presented, claims, violations, lab);
      if (!claims.scope.split(' ').includes(scope)) {
        violations.note('scope-enforced', `The access token does not have the scope ${scope}.`, 'insufficient_scope');
      }
    }
    const { refusing } = violations;
    if (refusing.length === 0 && claims !== null) return answer(claims, lab, violations);
    const details = metadataPath === undefined ? [] : [`resource_metadata="${lab.origin}${metadataPath}"`];
    const isDpop = presented?.isDpop ?? false;
    return refuseToken(refusing, { isDpop, scope, details, algorithms: listDpopAlgorithms(lab) });
  };
}

/**
 * Finds the token in the header, or in the form of a POST (RFC 6750 sections 2.1 and 2.2). The query is never accepted
 * (RFC 9700 section 4.3.2). Returns null and records a violation if there is none.
 */
async function findToken(request: Request, violations: Violations): Promise<PresentedToken | null> {
  const inQuery = new URL(request.url).searchParams.get('access_token');
  if (inQuery !== null) {
    violations.note('no-token-in-query', 'An access token in the URL is not accepted.', 'invalid_token');
  }
  const isForm = request.method === 'POST' && readMediaType(request) === 'application/x-www-form-urlencoded';
  const inBody = isForm ? ((await readBody(request, violations))?.get('access_token') ?? null) : null;
  const header = request.headers.get('authorization');
  const sent = [inQuery, inBody, header].filter((place) => place !== null);
  if (sent.length > 1) violations.note(null, 'The access token is sent by more than one method.');
  if (header === null) {
    const token = inBody ?? inQuery;
    if (token === null) violations.note(null, NO_TOKEN, 'invalid_token');
    return token === null ? null : { token, isDpop: false };
  }
  const [, scheme, token] = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i.exec(header) ?? [];
  if (token !== undefined) return { token, isDpop: scheme?.toLowerCase() === 'dpop' };
  violations.note(null, 'The Authorization header does not carry one Bearer token.', 'invalid_token');
  return null;
}

/** Records violations in what a token is bound to: a key (RFC 9449 section 7.1), or a certificate (RFC 8705 section 3). */
async function checkBinding(
  request: Request,
  { isDpop, token }: PresentedToken,
  { cnf }: AccessTokenClaims,
  violations: Violations,
  lab: Lab,
): Promise<void> {
  const note = (description: string, error: 'invalid_token' | 'invalid_dpop_proof' = 'invalid_token') =>
    violations.note('sender-constrained', description, error);
  const proof = request.headers.get('dpop');
  const { certificate } = lab;
  if (cnf?.['x5t#S256'] !== undefined && cnf['x5t#S256'] !== certificate?.thumbprint) {
    violations.note('certificate-binding', 'The access token is bound to another certificate.', 'invalid_token');
  }
  if (cnf?.jkt === undefined) {
    if (isDpop) note('The access token is not bound to a key.');
    return;
  }
  if (!isDpop || proof === null) return note('The access token is bound to a key without proof of possession.');
  const reading = await checkDpopProof(proof, request, lab, token);
  if (!reading.ok) note(reading.problem, 'invalid_dpop_proof');
  else if (reading.thumbprint !== cnf.jkt) note('The proof is for another key.');
}

/** Content of a challenge: the needed scope, further parameters, and the algorithms of proofs. */
interface ChallengeParts {
  scope: string;
  details: readonly string[];
  algorithms: readonly string[];
}

/** A bad proof at a resource is an authentication error. */
const findResourceStatus = (violation: Violation) =>
  violation.error === 'invalid_dpop_proof' ? 401 : findStatus(violation);

/**
 * Refuses a request (RFC 6750 section 3). The worst problem decides the status: 400 before 401 before 403. Without a
 * token there is no error code. The challenge of the used scheme carries the error; the DPoP challenge also lists its
 * algorithms (RFC 9449 section 7.1).
 */
function refuseToken(
  refusing: readonly Violation[],
  { isDpop, scope, details, algorithms }: Pick<PresentedToken, 'isDpop'> & ChallengeParts,
): Response {
  const sorted = refusing.toSorted((a, b) => findResourceStatus(a) - findResourceStatus(b));
  const [first] = sorted;
  const problem: string[] = [];
  if (first !== undefined && first.description !== NO_TOKEN) {
    problem.push(`error="${first.error}"`, `error_description="${first.description.replaceAll('"', "'")}"`);
    if (first.error === 'insufficient_scope') problem.push(`scope="${scope}"`);
  }
  const challenge = (scheme: string, parts: string[]) =>
    `${scheme} ${['realm="sluice-lab"', ...parts, ...details].join(', ')}`;
  const bearer = challenge('Bearer', isDpop ? [] : problem);
  const dpop = challenge('DPoP', [...(isDpop ? problem : []), `algs="${algorithms.join(' ')}"`]);
  return refuse(sorted, { 'WWW-Authenticate': `${bearer}, ${dpop}` }, {}, first && findResourceStatus(first));
}
