import { readAccessToken } from '@/lib/oauth/lab/access-token';
import { authenticateClient } from '@/lib/oauth/lab/authenticate-client';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import type { Controls } from '@/lib/oauth/lab/controls';
import type { Grant } from '@/lib/oauth/lab/grant';
import { readBody } from '@/lib/oauth/lab/parameters';
import { answerJson, markWeakened, refuse } from '@/lib/oauth/lab/respond';
import { revocationViolation } from '@/lib/oauth/lab/revocation';
import { hashSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';
import { applyControls } from '@/lib/oauth/lab/violation';

/**
 * `POST /auth/introspect` (RFC 7662). Only a client that can keep a secret may ask (section 2.1). The audience is not a
 * matter of whether a token is active: it is returned for the caller to check.
 */
export async function introspectToken(request: Request, controls: Controls, lab: LabServices): Promise<Response> {
  const body = await readBody(request);
  if (!body.ok) return refuse([body.violation]);
  const { client, violations } = authenticateClient(request, body.parameters, lab);
  violations.push(...body.parameters.violations());
  if (client !== null && client.secret === null) {
    const description = 'Only a confidential client may introspect.';
    violations.push({ control: null, error: 'invalid_client', description, status: 401 });
  }
  const token = body.parameters.get('token');
  if (token === undefined)
    violations.push({ control: null, error: 'invalid_request', description: 'token is missing.' });
  const { refusing, waived } = applyControls(violations, controls);
  if (refusing.length > 0 || token === undefined) return markWeakened(refuse(refusing), controls, waived);
  const answer =
    (await describeRefreshToken(token, controls, lab)) ?? (await describeAccessToken(token, controls, lab));
  return markWeakened(answerJson(200, answer ?? { active: false }), controls, waived);
}

async function describeRefreshToken(token: string, controls: Controls, lab: LabServices) {
  const ticket = await lab.state.read('refresh', hashSecret(token));
  if (ticket === null || ticket.expiresAt <= lab.now()) return null;
  if (ticket.usedAt !== null && controls['refresh-rotation']) return null;
  const grant: Grant = JSON.parse(ticket.payload);
  const revokedBy = await lab.state.revokedBy([`refresh:${grant.grantId}`, `grant:${grant.grantId}`]);
  const revocations = revokedBy.map((control) => revocationViolation(control, 'invalid_grant'));
  if (applyControls(revocations, controls).refusing.length > 0) return null;
  return {
    active: true,
    client_id: grant.clientId,
    scope: grant.scope,
    sub: DEMO_USER.sub,
    iss: lab.origin,
    iat: Math.floor(ticket.createdAt / 1000),
    exp: Math.floor(ticket.expiresAt / 1000),
  };
}

async function describeAccessToken(token: string, controls: Controls, lab: LabServices) {
  const { claims, violations } = await readAccessToken(token, lab);
  const relevant = violations.filter((violation) => violation.control !== 'validate-audience');
  if (claims === null || applyControls(relevant, controls).refusing.length > 0) return null;
  return {
    active: true,
    token_type: claims.thumbprint === null ? 'Bearer' : 'DPoP',
    client_id: claims.clientId,
    username: DEMO_USER.name,
    scope: claims.scope,
    sub: claims.subject,
    aud: claims.audience.length === 1 ? claims.audience[0] : claims.audience,
    iss: claims.issuer,
    exp: claims.expiresAt,
    iat: claims.issuedAt,
    jti: claims.tokenId,
    ...(claims.thumbprint === null ? {} : { cnf: { jkt: claims.thumbprint } }),
  };
}
