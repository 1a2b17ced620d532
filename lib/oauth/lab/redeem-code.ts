import { createHash } from 'node:crypto';
import type { AuthorizationRequest } from '@/lib/oauth/lab/authorization-request';
import { CODE_LIFETIME } from '@/lib/oauth/lab/authorization-response';
import { REFRESH_TOKEN_LIFETIME, revokeGrant } from '@/lib/oauth/lab/grant';
import { tokenResponse } from '@/lib/oauth/lab/issue-tokens';
import { readResources } from '@/lib/oauth/lab/parameters';
import { handOut, newId, sameSecret } from '@/lib/oauth/lab/tickets';
import { presentedTicket, type RedeemGrant, redeemTicket, type TokenRequest } from '@/lib/oauth/lab/token-request';

/**
 * The authorization code grant (RFC 6749 section 4.1.3, RFC 7636 section 4.6). A code is consumed by the one request
 * that is right in every other respect; a second such request revokes what the first one got.
 */
export const redeemCode: RedeemGrant = async (asked, lab) => {
  const ticket = await presentedTicket(asked, 'code', lab);
  if (ticket === null) return null;
  const request: AuthorizationRequest = JSON.parse(ticket.payload);
  const { clientId, scope, nonce } = request;
  if (ticket.createdAt + CODE_LIFETIME * 1000 <= lab.now())
    asked.invalidGrant('code-lifetime', 'The code has expired.');
  if (clientId !== asked.client.id) asked.invalidGrant('code-client-binding', 'The code was issued to another client.');
  checkRedirectUri(asked, request);
  checkVerifier(asked, request);
  const resources = readResources(asked.parameters, asked.violations, request.resources);

  const grantId = newId(lab);
  const use = await redeemTicket(ticket, grantId, asked, lab);
  if (use === 'refused') return null;
  if (use === 'again') {
    const used = await lab.state.read('code', ticket.hash);
    if (lab.controls['code-reuse-revokes'] && used?.mark) await revokeGrant(used.mark, 'code-reuse-revokes', lab);
    if (lab.controls['code-single-use']) return null;
    await lab.state.remark('code', ticket.hash, grantId);
  }
  const grant = { grantId, clientId: asked.client.id, scope, nonce, resources, thumbprint: asked.thumbprint };
  const offline = scope.split(' ').includes('offline_access');
  return tokenResponse(grant, offline ? await handOut(lab, 'refresh', grant, REFRESH_TOKEN_LIFETIME) : null, lab);
};

/**
 * RFC 6749 section 4.1.3. OAuth 2.1 (section 10.2 of its draft) lets clients that use PKCE leave the parameter out, and
 * has it enforced when it is sent.
 */
function checkRedirectUri({ parameters, invalidGrant }: TokenRequest, authorized: AuthorizationRequest): void {
  const sent = parameters.get('redirect_uri');
  if (sent === undefined) {
    if (authorized.redirectSent && authorized.challenge === null) {
      invalidGrant('code-redirect-binding', 'redirect_uri is missing, and the code has no PKCE challenge.');
    }
  } else if (sent !== authorized.redirectUri) {
    invalidGrant('code-redirect-binding', 'redirect_uri differs from the one in the authorization request.');
  }
}

function checkVerifier({ parameters, invalidGrant }: TokenRequest, { challenge }: AuthorizationRequest): void {
  const verifier = parameters.get('code_verifier');
  if (challenge === null) {
    if (verifier !== undefined) {
      invalidGrant('pkce-downgrade', 'A code_verifier is sent for a code without a code_challenge.');
    }
  } else if (verifier === undefined) invalidGrant('pkce-verified', 'code_verifier is missing.');
  else {
    const isS256 = challenge.method === 'S256';
    if (isS256 && sameSecret(verifier, challenge.value)) {
      invalidGrant('pkce-method-downgrade', 'The code_challenge itself is not a code_verifier.');
    }
    const derived = isS256 ? createHash('sha256').update(verifier).digest('base64url') : verifier;
    if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) {
      invalidGrant('pkce-verified', 'code_verifier must be 43 to 128 unreserved characters.');
    } else if (!sameSecret(derived, challenge.value)) {
      invalidGrant('pkce-verified', 'code_verifier does not match the code_challenge.');
    }
  }
}
