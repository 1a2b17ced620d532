import { type JWTPayload, SignJWT } from 'jose';
import { RESOURCE_AUDIENCE } from '@/lib/contract/lab-paths';
import { DEMO_USER, findClient } from '@/lib/oauth/lab/clients';
import type { RefusingControl } from '@/lib/oauth/lab/controls';
import type { Violations } from '@/lib/oauth/lab/respond';
import type { KeyUse, Lab, LabServices } from '@/lib/oauth/lab/services';
import { loadSigningKey } from '@/lib/oauth/lab/signing-key';
import { generateId, hashAccessToken, issueSecret } from '@/lib/oauth/lab/tickets';

/** Lifetime of an access token if `short-token-lifetime` is off, in seconds. */
export const WEAK_ACCESS_TOKEN_LIFETIME = 86_400;
/** Lifetime of a refresh token, in seconds. Each rotation restarts it. */
export const REFRESH_TOKEN_LIFETIME = 86_400;

/** Rights that a user granted to a client. Access, ID and refresh tokens are issued from them. */
export interface Grant {
  /** Shared by all tokens that came from one code, including refreshed ones. */
  grantId: string;
  clientId: string;
  scope: string;
  nonce: string | null;
  /** Resources (RFC 8707). Empty means `/api/data`. */
  resources: readonly string[];
  /** Thumbprint of the key that the tokens are bound to (RFC 9449), or null. */
  thumbprint: string | null;
  /** Thumbprint of the certificate that the tokens are bound to (RFC 8705). Absent or null without one. */
  certificate?: string | null;
  /** Time when the user agreed, and so authenticated, in Unix seconds. */
  authTime: number;
}

const DESCRIPTIONS: Partial<Record<RefusingControl, string>> = {
  'revocation-cascade': 'The refresh token behind the token was revoked.',
  'code-reuse-revokes': 'The code behind the token was used twice.',
  'refresh-reuse-revokes': 'A refresh token of the same family was used twice.',
};

/**
 * Records a violation for a token that was revoked under one of these ids. It names the control that caused the
 * revocation.
 */
export async function noteRevocations(
  ids: readonly string[],
  error: 'invalid_grant' | 'invalid_token',
  violations: Violations,
  lab: LabServices,
): Promise<void> {
  for (const control of await lab.state.revokedBy(ids)) {
    violations.note(control, DESCRIPTIONS[control] ?? 'The token was revoked.', error);
  }
}

export function noteRevokedRefresh({ grantId }: Grant, violations: Violations, lab: LabServices): Promise<void> {
  return noteRevocations([`refresh:${grantId}`, `grant:${grantId}`], 'invalid_grant', violations, lab);
}

/** Revokes all tokens of a grant, including refresh tokens. The record outlives all of them. */
export async function revokeGrant(
  grantId: string,
  control: 'code-reuse-revokes' | 'refresh-reuse-revokes',
  lab: LabServices,
): Promise<void> {
  const longest = Math.max(REFRESH_TOKEN_LIFETIME, WEAK_ACCESS_TOKEN_LIFETIME) * 1000;
  await lab.state.revoke(`grant:${grantId}`, control, lab.now() + 2 * longest);
}

/** Lifetime of an access token, in seconds. RFC 9700 section 2.2 recommends a short lifetime. */
export const ACCESS_TOKEN_LIFETIME = 900;

async function signToken(
  { typ, use, lifetime }: { typ: 'at+jwt' | 'JWT'; use: KeyUse; lifetime: number },
  claims: JWTPayload,
  lab: Lab,
): Promise<string> {
  const { kid, algorithm, privateKey } = await loadSigningKey(lab, use);
  const iat = Math.floor(lab.now() / 1000);
  return new SignJWT({ iss: lab.origin, sub: DEMO_USER.sub, iat, exp: iat + lifetime, ...claims })
    .setProtectedHeader({ alg: algorithm, typ, kid })
    .sign(privateKey);
}

/** Builds the claim that names what a token is bound to (RFC 9449 section 6.1, RFC 8705 section 3.1). */
function buildConfirmation({ thumbprint, certificate = null }: Grant): JWTPayload {
  if (thumbprint === null && certificate === null) return {};
  const byKey = thumbprint === null ? {} : { jkt: thumbprint };
  return { cnf: { ...byKey, ...(certificate === null ? {} : { 'x5t#S256': certificate }) } };
}

/**
 * Issues an access token (RFC 9068: `at+jwt`). Returns it with its lifetime in seconds.
 * @param act the party that acts for the user (RFC 8693 section 4.1). `notAfter` is the latest expiry, in Unix seconds.
 */
export async function issueAccessToken(
  grant: Grant,
  lab: Lab,
  { act, notAfter = null }: { act?: unknown; notAfter?: number | null } = {},
): Promise<{ token: string; expiresIn: number }> {
  const longest = lab.controls['short-token-lifetime'] ? ACCESS_TOKEN_LIFETIME : WEAK_ACCESS_TOKEN_LIFETIME;
  const left = notAfter === null ? longest : notAfter - Math.floor(lab.now() / 1000);
  const expiresIn = Math.max(0, Math.min(longest, left));
  const [first, ...more] = grant.resources;
  const claims = {
    aud: first === undefined ? RESOURCE_AUDIENCE : more.length === 0 ? first : [first, ...more],
    client_id: grant.clientId,
    scope: grant.scope,
    jti: generateId(lab),
    grant_id: grant.grantId,
    ...buildConfirmation(grant),
    ...(act === undefined ? {} : { act }),
  };
  return { token: await signToken({ typ: 'at+jwt', use: 'signing', lifetime: expiresIn }, claims, lab), expiresIn };
}

/** Returns the claims about the user that a scope covers (OpenID Connect Core section 5.4), except `sub`. */
export function selectUserClaims(scope: string): JWTPayload {
  const scopes = scope.split(' ');
  return {
    ...(scopes.includes('email') ? { email: DEMO_USER.email, email_verified: true } : {}),
    ...(scopes.includes('profile') ? { name: DEMO_USER.name } : {}),
  };
}

/**
 * Issues an ID token (OpenID Connect Core section 2). Its audience is the client, not `/api/data`. Its session (`sid`) is
 * the grant, because the lab keeps no session in the browser.
 * @param accessToken access token issued with it, if any (section 3.1.3.6)
 */
export function issueIdToken(
  grant: Pick<Grant, 'grantId' | 'clientId' | 'scope' | 'nonce' | 'authTime'>,
  accessToken: string | null,
  lab: Lab,
): Promise<string> {
  const claims = {
    aud: grant.clientId,
    sid: grant.grantId,
    auth_time: grant.authTime,
    ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    ...(accessToken === null ? {} : { at_hash: hashAccessToken(accessToken) }),
    ...selectUserClaims(grant.scope),
  };
  const use = findClient(lab.origin, grant.clientId)?.idTokenKey ?? 'id-token';
  return signToken({ typ: 'JWT', use, lifetime: ACCESS_TOKEN_LIFETIME }, claims, lab);
}

/**
 * Builds the answer of the token endpoint (RFC 6749 section 5.1).
 * @param refreshToken the refresh token to include, or null
 */
export async function buildTokenResponse(
  grant: Grant,
  refreshToken: string | null,
  lab: Lab,
): Promise<Record<string, string | number>> {
  const { token, expiresIn } = await issueAccessToken(grant, lab);
  return {
    access_token: token,
    token_type: grant.thumbprint === null ? 'Bearer' : 'DPoP',
    expires_in: expiresIn,
    scope: grant.scope,
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    ...(grant.scope.split(' ').includes('openid') ? { id_token: await issueIdToken(grant, token, lab) } : {}),
  };
}

/** Issues the tokens of a new grant, with a refresh token for the scope `offline_access`. */
export async function issueTokens(grant: Grant, lab: Lab): Promise<Record<string, string | number>> {
  const isOffline = grant.scope.split(' ').includes('offline_access');
  const refreshToken = isOffline ? await issueSecret(lab, 'refresh', grant, REFRESH_TOKEN_LIFETIME) : null;
  return buildTokenResponse(grant, refreshToken, lab);
}
