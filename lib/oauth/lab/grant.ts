import { type JWTPayload, SignJWT } from 'jose';
import { RESOURCE_AUDIENCE } from '@/lib/contract/lab-paths';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';
import type { Violations } from '@/lib/oauth/lab/respond';
import type { Lab, LabServices } from '@/lib/oauth/lab/services';
import { SIGNING_ALGORITHM, signingKey } from '@/lib/oauth/lab/signing-key';
import { accessTokenHash, newId } from '@/lib/oauth/lab/tickets';

/** Life of an access token where `short-token-lifetime` is off, in seconds. */
export const WEAK_ACCESS_TOKEN_LIFETIME = 86_400;
/** Life of a refresh token in seconds; each rotation restarts it. */
export const REFRESH_TOKEN_LIFETIME = 86_400;

/** What was granted to whom: access tokens, ID tokens and refresh tokens are issued from it. */
export interface Grant {
  /** All tokens that came of one code, refreshed ones included, share it. */
  grantId: string;
  clientId: string;
  scope: string;
  nonce: string | null;
  /** RFC 8707; empty means `/api/data`. */
  resources: readonly string[];
  /** RFC 9449: thumbprint of the key that tokens are bound to, or null. */
  thumbprint: string | null;
  /** When the user agreed, and so authenticated: Unix seconds. */
  authTime: number;
}

const DESCRIPTIONS: Partial<Record<ControlSwitch, string>> = {
  'revocation-cascade': 'The refresh token behind the token was revoked.',
  'code-reuse-revokes': 'The code behind the token was used twice.',
  'refresh-reuse-revokes': 'A refresh token of the same family was used twice.',
};

/** Notes what presenting a token violates that was revoked under one of these ids: the control in whose name it was. */
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

/** Ends all tokens of a grant, refresh tokens included, for longer than the last of them lives. */
export async function revokeGrant(
  grantId: string,
  control: 'code-reuse-revokes' | 'refresh-reuse-revokes',
  lab: LabServices,
): Promise<void> {
  const longest = Math.max(REFRESH_TOKEN_LIFETIME, WEAK_ACCESS_TOKEN_LIFETIME) * 1000;
  await lab.state.revoke(`grant:${grantId}`, control, lab.now() + 2 * longest);
}

/** Life of an access token in seconds (RFC 9700 section 2.2: short). */
export const ACCESS_TOKEN_LIFETIME = 900;

async function signToken(typ: 'at+jwt' | 'JWT', lifetime: number, claims: JWTPayload, lab: Lab): Promise<string> {
  const { kid, privateKey } = await signingKey(lab);
  const iat = Math.floor(lab.now() / 1000);
  return new SignJWT({ iss: lab.origin, sub: DEMO_USER.sub, iat, exp: iat + lifetime, ...claims })
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ, kid })
    .sign(privateKey);
}

/** An access token (RFC 9068: `at+jwt`) and how long it lives, in seconds. */
export async function issueAccessToken(grant: Grant, lab: Lab): Promise<{ token: string; expiresIn: number }> {
  const expiresIn = lab.controls['short-token-lifetime'] ? ACCESS_TOKEN_LIFETIME : WEAK_ACCESS_TOKEN_LIFETIME;
  const [first, ...more] = grant.resources;
  const claims = {
    aud: first === undefined ? RESOURCE_AUDIENCE : more.length === 0 ? first : [first, ...more],
    client_id: grant.clientId,
    scope: grant.scope,
    jti: newId(lab),
    grant_id: grant.grantId,
    ...(grant.thumbprint === null ? {} : { cnf: { jkt: grant.thumbprint } }),
  };
  return { token: await signToken('at+jwt', expiresIn, claims, lab), expiresIn };
}

/** The claims about the user that a scope stands for (OpenID Connect Core section 5.4), besides `sub`. */
export function userClaims(scope: string): JWTPayload {
  const scopes = scope.split(' ');
  return {
    ...(scopes.includes('email') ? { email: DEMO_USER.email, email_verified: true } : {}),
    ...(scopes.includes('profile') ? { name: DEMO_USER.name } : {}),
  };
}

/**
 * An ID token (OpenID Connect Core section 2): for the client, not for `/api/data`.
 * @param accessToken the one that it is issued with, if any (section 3.1.3.6)
 */
export function issueIdToken(
  grant: Pick<Grant, 'clientId' | 'scope' | 'nonce' | 'authTime'>,
  accessToken: string | null,
  lab: Lab,
): Promise<string> {
  const claims = {
    aud: grant.clientId,
    auth_time: grant.authTime,
    ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    ...(accessToken === null ? {} : { at_hash: accessTokenHash(accessToken) }),
    ...userClaims(grant.scope),
  };
  return signToken('JWT', ACCESS_TOKEN_LIFETIME, claims, lab);
}

/**
 * The answer of the token endpoint (RFC 6749 section 5.1).
 * @param refreshToken the refresh token to hand out, or null for none
 */
export async function tokenResponse(
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
