import { readAccessToken } from '@/lib/oauth/lab/access-token';
import { createClientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import { DEMO_USER, isPublic } from '@/lib/oauth/lab/clients';
import { isControlSwitch } from '@/lib/oauth/lab/controls';
import {
  type Grant,
  noteRevokedRefresh,
  REFRESH_TOKEN_LIFETIME,
  WEAK_ACCESS_TOKEN_LIFETIME,
} from '@/lib/oauth/lab/grant';
import { answerJson, refuse, Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { hashSecret, readTicket } from '@/lib/oauth/lab/tickets';

/**
 * Handles `POST /auth/introspect` (RFC 7662). Only a confidential client may call it (section 2.1). The audience does
 * not decide whether a token is active. It is returned for the caller to check.
 */
export const introspectToken = createClientEndpoint(async ({ client, parameters, violations }, lab) => {
  parameters.check(violations);
  if (client !== null && isPublic(client)) {
    violations.note(null, 'Only a confidential client may introspect.', 'invalid_client');
  }
  const token = parameters.requireValue('token', violations);
  if (token === null || violations.refusing.length > 0) return refuse(violations.refusing);
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
  const { client_id, scope, sub, aud: audiences, iss, exp, iat, jti, cnf } = claims;
  const aud = audiences.length === 1 ? audiences[0] : audiences;
  const type = { token_type: cnf?.jkt === undefined ? 'Bearer' : 'DPoP', ...(cnf === null ? {} : { cnf }) };
  return { active: true, client_id, username: DEMO_USER.name, scope, sub, aud, iss, exp, iat, jti, ...type };
}

/**
 * Handles `POST /auth/revoke` (RFC 7009). Unknown tokens get the same answer as revoked ones (section 2.2). Revoking a
 * refresh token also revokes the access tokens issued from it (section 2.1).
 */
export const revokeToken = createClientEndpoint(async ({ client, parameters, violations }, lab) => {
  parameters.check(violations);
  const token = parameters.requireValue('token', violations);
  const found = token === null ? null : await findRevocable(token, lab);
  if (found !== null && client !== null && found.clientId !== client.id) {
    violations.note('revocation-client-bound', 'The token was issued to another client.', 'unauthorized_client');
  }
  if (violations.refusing.length > 0) return refuse(violations.refusing);
  const until = lab.now() + (found?.lifetime ?? 0) * 1000;
  for (const [id, control] of found?.ids ?? [])
    if (!isControlSwitch(control) || lab.controls[control]) await lab.state.revoke(id, control, until);
  return answerJson(200, {});
});

const FORGED = new Set<string | null>(['signature-verified', 'alg-none', 'alg-confusion', 'issuer-validated']);

/**
 * Finds the lab's own token that has this text, or null.
 * @returns its client, the ids to revoke, the control that the revocation belongs to, and their longest lifetime in
 * seconds
 */
async function findRevocable(token: string, lab: Lab) {
  const ticket = await lab.state.read('refresh', hashSecret(token));
  if (ticket !== null) {
    const { clientId, grantId }: Grant = JSON.parse(ticket.payload);
    const ids = [
      [`refresh:${grantId}`, 'revocation-refresh'],
      [`access:${grantId}`, 'revocation-cascade'],
    ] as const;
    return { clientId, ids, lifetime: REFRESH_TOKEN_LIFETIME + WEAK_ACCESS_TOKEN_LIFETIME };
  }
  const violations = new Violations(lab.controls);
  const claims = await readAccessToken(token, violations, lab);
  if (claims === null || claims.jti === null || violations.all.some(({ control }) => FORGED.has(control))) return null;
  const ids = [[`jti:${claims.jti}`, 'revocation-effective']] as const;
  return { clientId: claims.client_id, ids, lifetime: WEAK_ACCESS_TOKEN_LIFETIME };
}
