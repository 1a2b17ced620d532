import { readAccessToken } from '@/lib/oauth/lab/access-token';
import { clientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import { type Grant, noteRevokedRefresh } from '@/lib/oauth/lab/grant';
import { answerJson, refuse, Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { readTicket } from '@/lib/oauth/lab/tickets';

/**
 * `POST /auth/introspect` (RFC 7662). Only a client that can keep a secret may ask (section 2.1). The audience is not a
 * matter of whether a token is active: it is returned for the caller to check.
 */
export const introspectToken = clientEndpoint(async ({ client, parameters, violations }, lab) => {
  parameters.check(violations);
  if (client !== null && client.secret === null) {
    violations.note(null, 'invalid_client', 'Only a confidential client may introspect.', 401);
  }
  const token = parameters.get('token');
  if (token === undefined) violations.note(null, 'invalid_request', 'token is missing.');
  if (token === undefined || violations.refusing.length > 0) return refuse(violations.refusing);
  const description = (await describeRefreshToken(token, lab)) ?? (await describeAccessToken(token, lab));
  return answerJson(200, description ?? { active: false });
});

async function describeRefreshToken(token: string, lab: Lab) {
  const ticket = await readTicket(lab, 'refresh', token);
  if (ticket === null || (ticket.usedAt !== null && lab.controls['refresh-rotation'])) return null;
  const grant: Grant = JSON.parse(ticket.payload);
  const violations = new Violations(lab.controls);
  await noteRevokedRefresh(grant, violations, lab);
  if (violations.refusing.length > 0) return null;
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

async function describeAccessToken(token: string, lab: Lab) {
  const violations = new Violations(lab.controls);
  const claims = await readAccessToken(token, violations, lab);
  if (claims === null || violations.refusing.some(({ control }) => control !== 'validate-audience')) return null;
  const { client_id, scope, sub, aud, iss, exp, iat, jti, cnf } = claims;
  return {
    active: true,
    token_type: cnf === null ? 'Bearer' : 'DPoP',
    client_id,
    username: DEMO_USER.name,
    scope,
    sub,
    aud: aud.length === 1 ? aud[0] : aud,
    iss,
    exp,
    iat,
    jti,
    ...(cnf === null ? {} : { cnf }),
  };
}
