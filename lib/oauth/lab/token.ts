import { DEVICE_GRANT, TOKEN_EXCHANGE_GRANT } from '@/lib/contract/lab-paths';
import { createClientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import type { AuthorizationRequest, AuthorizedRequest } from '@/lib/oauth/lab/authorization-request';
import { CODE_LIFETIME } from '@/lib/oauth/lab/authorize';
import { isPublic } from '@/lib/oauth/lab/clients';
import { redeemDeviceCode } from '@/lib/oauth/lab/device-authorization';
import { readProof } from '@/lib/oauth/lab/dpop-proof';
import {
  buildTokenResponse,
  type Grant,
  issueTokens,
  noteRevokedRefresh,
  REFRESH_TOKEN_LIFETIME,
  revokeGrant,
} from '@/lib/oauth/lab/grant';
import { readResources } from '@/lib/oauth/lab/resources';
import { answerJson, refuse } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler, Ticket } from '@/lib/oauth/lab/services';
import { generateId, hashSecret, isSameSecret, issueSecret, readTicket } from '@/lib/oauth/lab/tickets';
import { redeemSubjectToken } from '@/lib/oauth/lab/token-exchange';
import type { RedeemGrant, TokenRequest } from '@/lib/oauth/lab/token-request';

/**
 * Returns the ticket of the secret in a token request. Returns null and records a violation if the secret is missing,
 * unknown or expired.
 */
async function readPresentedTicket(request: TokenRequest, kind: 'code' | 'refresh', lab: Lab): Promise<Ticket | null> {
  const name = kind === 'code' ? 'code' : 'refresh_token';
  const secret = request.parameters.requireValue(name, request.violations);
  if (secret === null) return null;
  const ticket = await readTicket(lab, kind, secret);
  if (ticket === null) request.invalidGrant(null, `The ${name.replace('_', ' ')} is unknown or expired.`);
  return ticket;
}

/**
 * Uses a ticket, unless the request is refused: a refused request consumes nothing. Records a violation if the ticket
 * was used before.
 * @param mark result of the use
 */
async function redeemTicket(
  { kind, hash, usedAt }: Ticket,
  mark: string | null,
  request: TokenRequest,
  lab: Lab,
): Promise<'refused' | 'first' | 'again'> {
  const refused = request.violations.refusing.length > 0;
  const used = refused ? usedAt !== null : !(await lab.state.claim(kind, hash, lab.now(), mark));
  if (used && kind === 'code') request.invalidGrant('code-single-use', 'The code was used before.');
  else if (used) request.invalidGrant('refresh-rotation', 'The refresh token was used before.');
  if (refused) return 'refused';
  return used ? 'again' : 'first';
}

/**
 * Handles the authorization code grant (RFC 6749 section 4.1.3, RFC 7636 section 4.6). Only a request that is valid in
 * every other respect consumes the code. A second such request revokes the tokens of the first.
 */
const redeemCode: RedeemGrant = async (tokenRequest, lab) => {
  const ticket = await readPresentedTicket(tokenRequest, 'code', lab);
  if (ticket === null) return null;
  const request: AuthorizedRequest = JSON.parse(ticket.payload);
  const { clientId, scope, nonce, authTime } = request;
  const isOld = ticket.createdAt + CODE_LIFETIME * 1000 <= lab.now();
  if (isOld) tokenRequest.invalidGrant('code-lifetime', 'The code has expired.');
  if (clientId !== tokenRequest.client.id)
    tokenRequest.invalidGrant('code-client-binding', 'The code was issued to another client.');
  checkRedirectUri(tokenRequest, request);
  checkVerifier(tokenRequest, request);
  if (request.dpopJkt !== null && request.dpopJkt !== tokenRequest.thumbprint) {
    tokenRequest.invalidGrant('dpop-code-binding', 'The code is bound to a key without proof of possession.');
  }
  const resources = readResources(tokenRequest.parameters, tokenRequest.violations, lab.origin, request.resources);

  const grantId = generateId(lab);
  const use = await redeemTicket(ticket, grantId, tokenRequest, lab);
  if (use === 'refused') return null;
  if (use === 'again') {
    const used = await lab.state.read('code', ticket.hash);
    if (lab.controls['code-reuse-revokes'] && used?.mark) await revokeGrant(used.mark, 'code-reuse-revokes', lab);
    if (lab.controls['code-single-use']) return null;
    await lab.state.remark('code', ticket.hash, grantId);
  }
  const { client, thumbprint, certificate } = tokenRequest;
  const bound = { thumbprint, certificate };
  const grant: Grant = { grantId, clientId: client.id, scope, nonce, resources, ...bound, authTime };
  return issueTokens(grant, lab);
};

/**
 * Checks the redirect URI (RFC 6749 section 4.1.3). The OAuth 2.1 draft (section 10.2) lets clients with PKCE omit it,
 * and requires the check when it is sent.
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
  if (challenge === null || verifier === undefined) {
    if (challenge !== null) invalidGrant('pkce-verified', 'code_verifier is missing.');
    else if (verifier !== undefined) {
      invalidGrant('pkce-downgrade', 'A code_verifier is sent for a code without a code_challenge.');
    }
    return;
  }
  const isS256 = challenge.method === 'S256';
  if (isS256 && isSameSecret(verifier, challenge.value)) {
    invalidGrant('pkce-method-downgrade', 'The code_challenge itself is not a code_verifier.');
  }
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) {
    invalidGrant('pkce-verified', 'code_verifier must be 43 to 128 unreserved characters.');
  } else if (!isSameSecret(isS256 ? hashSecret(verifier) : verifier, challenge.value)) {
    invalidGrant('pkce-verified', 'code_verifier does not match the code_challenge.');
  }
}

/**
 * Handles the refresh token grant (RFC 6749 section 6) with rotation (RFC 9700 section 4.14.2). Every use issues a new
 * token. Using an old one revokes the whole family, including access tokens.
 */
const redeemRefreshToken: RedeemGrant = async (request, lab) => {
  const { client, parameters, violations, thumbprint, certificate } = request;
  const ticket = await readPresentedTicket(request, 'refresh', lab);
  if (ticket === null) return null;
  const grant: Grant = JSON.parse(ticket.payload);
  if (grant.clientId !== client.id) {
    request.invalidGrant('refresh-client-binding', 'The refresh token belongs to another client.');
  }
  await noteRevokedRefresh(grant, violations, lab);
  const granted = grant.scope.split(' ');
  const wanted = parameters.get('scope') === undefined ? granted : parameters.list('scope');
  const widened = !wanted.every((value) => granted.includes(value));
  if (widened) violations.note('refresh-scope', 'scope asks for more than was granted.', 'invalid_scope');
  const resources = readResources(parameters, violations, lab.origin, grant.resources);
  if (grant.thumbprint !== null && grant.thumbprint !== thumbprint && isPublic(client)) {
    request.invalidGrant('dpop-refresh-binding', 'The refresh token is bound to a key without proof of possession.');
  }
  if ((grant.certificate ?? certificate) !== certificate && isPublic(client)) {
    request.invalidGrant('certificate-refresh-binding', 'The refresh token is bound to another certificate.');
  }

  const rotates = lab.controls['refresh-rotation'] && !lab.requirements['fapi-no-rotation'];
  const use = await redeemTicket(ticket, null, request, lab);
  if (use === 'again' && rotates && lab.controls['refresh-reuse-revokes']) {
    await revokeGrant(grant.grantId, 'refresh-reuse-revokes', lab);
  }
  if (use === 'refused' || (use === 'again' && rotates)) return null;
  const next: Grant = {
    ...grant,
    clientId: client.id,
    thumbprint: thumbprint ?? grant.thumbprint,
    certificate: certificate ?? grant.certificate ?? null,
  };
  const refreshToken = rotates
    ? await issueSecret(lab, 'refresh', next, REFRESH_TOKEN_LIFETIME)
    : (parameters.get('refresh_token') ?? null);
  return buildTokenResponse({ ...next, scope: wanted.join(' '), resources, nonce: null }, refreshToken, lab);
};

const GRANTS = new Map<string | null, RedeemGrant>([
  ['authorization_code', redeemCode],
  ['refresh_token', redeemRefreshToken],
  [DEVICE_GRANT, redeemDeviceCode],
  [TOKEN_EXCHANGE_GRANT, redeemSubjectToken],
]);

const exchange = createClientEndpoint(async ({ request, parameters, client, violations }, lab) => {
  parameters.check(violations);
  const thumbprint = await readProof(request, violations, lab);
  const certificate = lab.certificate?.thumbprint ?? null;
  if (lab.requirements['fapi-bound-tokens'] && !request.headers.has('dpop') && certificate === null) {
    violations.note(null, 'A DPoP proof is required (FAPI 2.0).', 'invalid_dpop_proof');
  }
  const grantType = parameters.requireValue('grant_type', violations);
  const redeem = GRANTS.get(grantType);
  if (grantType !== null && redeem === undefined) {
    const control = grantType === 'password' ? 'no-password-grant' : null;
    violations.note(control, 'The server does not offer this grant_type.', 'unsupported_grant_type');
  }
  if (client === null || redeem === undefined) return refuse(violations.refusing);
  const tokenRequest: TokenRequest = {
    client,
    parameters,
    violations,
    invalidGrant: (control, description) => violations.note(control, description, 'invalid_grant'),
    thumbprint,
    certificate,
  };
  const response = await redeem(tokenRequest, lab);
  return response === null ? refuse(violations.refusing) : answerJson(200, response);
});

/** Handles `POST /auth/token`: the token endpoint (RFC 6749 section 3.2). */
export const exchangeToken: LabHandler = async (request, lab, violations) => {
  const answer = await exchange(request, lab, violations);
  if (!lab.controls['token-no-store']) answer.headers.delete('Cache-Control');
  return answer;
};
