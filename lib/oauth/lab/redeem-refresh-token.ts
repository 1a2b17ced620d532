import { type Grant, noteRevokedRefresh, REFRESH_TOKEN_LIFETIME, revokeGrant } from '@/lib/oauth/lab/grant';
import { tokenResponse } from '@/lib/oauth/lab/issue-tokens';
import { readResources } from '@/lib/oauth/lab/parameters';
import { handOut } from '@/lib/oauth/lab/tickets';
import { presentedTicket, type RedeemGrant, redeemTicket } from '@/lib/oauth/lab/token-request';

/**
 * The refresh token grant (RFC 6749 section 6) with rotation (RFC 9700 section 4.14.2): every use gives a new token, and
 * the use of an old one ends the whole family, access tokens included.
 */
export const redeemRefreshToken: RedeemGrant = async (asked, lab) => {
  const { client, parameters, violations, thumbprint } = asked;
  const ticket = await presentedTicket(asked, 'refresh', lab);
  if (ticket === null) return null;
  const grant: Grant = JSON.parse(ticket.payload);
  if (grant.clientId !== client.id) {
    asked.invalidGrant('refresh-client-binding', 'The refresh token belongs to another client.');
  }
  await noteRevokedRefresh(grant, violations, lab);
  const granted = grant.scope.split(' ');
  const wanted = parameters.get('scope') === undefined ? granted : parameters.list('scope');
  const widened = !wanted.every((value) => granted.includes(value));
  if (widened) violations.note('refresh-scope', 'invalid_scope', 'scope asks for more than was granted.');
  const resources = readResources(parameters, violations, grant.resources);
  if (grant.thumbprint !== null && grant.thumbprint !== thumbprint && client.secret === null) {
    asked.invalidGrant('sender-constrained', 'The refresh token is bound to a key without proof of possession.');
  }

  const rotates = lab.controls['refresh-rotation'];
  const use = await redeemTicket(ticket, null, asked, lab);
  if (use === 'again' && rotates && lab.controls['refresh-reuse-revokes']) {
    await revokeGrant(grant.grantId, 'refresh-reuse-revokes', lab);
  }
  if (use === 'refused' || (use === 'again' && rotates)) return null;
  const next: Grant = { ...grant, clientId: client.id, thumbprint: thumbprint ?? grant.thumbprint };
  const refreshToken = rotates
    ? await handOut(lab, 'refresh', next, REFRESH_TOKEN_LIFETIME)
    : (parameters.get('refresh_token') ?? null);
  return tokenResponse({ ...next, scope: wanted.join(' '), resources, nonce: null }, refreshToken, lab);
};
