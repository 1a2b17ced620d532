import { base64url, SignJWT } from 'jose';
import { RESOURCE_AUDIENCE } from '@/lib/contract/lab-paths';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import type { Controls } from '@/lib/oauth/lab/controls';
import type { Grant } from '@/lib/oauth/lab/grant';
import { hashSecret, newSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';
import { SIGNING_ALGORITHM, signingKey } from '@/lib/oauth/lab/signing-key';

/** Life of an access token in seconds (RFC 9700 section 2.2: short). */
const ACCESS_TOKEN_LIFETIME = 900;
/** Life of an access token where `short-token-lifetime` is off, in seconds. */
export const WEAK_ACCESS_TOKEN_LIFETIME = 86_400;
/** Life of a refresh token in seconds; each rotation restarts it. */
export const REFRESH_TOKEN_LIFETIME = 86_400;

/** An access token (RFC 9068: `at+jwt`) and how long it lives, in seconds. */
export async function issueAccessToken(
  grant: Grant,
  controls: Controls,
  lab: LabServices,
): Promise<{ token: string; expiresIn: number }> {
  const expiresIn = controls['short-token-lifetime'] ? ACCESS_TOKEN_LIFETIME : WEAK_ACCESS_TOKEN_LIFETIME;
  const key = await signingKey(lab);
  const now = Math.floor(lab.now() / 1000);
  const [first, ...more] = grant.resources;
  const claims = {
    iss: lab.origin,
    sub: DEMO_USER.sub,
    aud: first === undefined ? RESOURCE_AUDIENCE : more.length === 0 ? first : [first, ...more],
    client_id: grant.clientId,
    scope: grant.scope,
    iat: now,
    exp: now + expiresIn,
    jti: base64url.encode(lab.random(16)),
    grant_id: grant.grantId,
    ...(grant.thumbprint === null ? {} : { cnf: { jkt: grant.thumbprint } }),
  };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: 'at+jwt', kid: key.kid })
    .sign(key.privateKey);
  return { token, expiresIn };
}

/** An ID token (OpenID Connect Core section 2): for the client, not for `/api/data`. */
export async function issueIdToken(grant: Omit<Grant, 'resources'>, lab: LabServices): Promise<string> {
  const key = await signingKey(lab);
  const now = Math.floor(lab.now() / 1000);
  const scopes = grant.scope.split(' ');
  const claims = {
    iss: lab.origin,
    sub: DEMO_USER.sub,
    aud: grant.clientId,
    iat: now,
    exp: now + ACCESS_TOKEN_LIFETIME,
    auth_time: now,
    ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    ...(scopes.includes('email') ? { email: DEMO_USER.email, email_verified: true } : {}),
    ...(scopes.includes('profile') ? { name: DEMO_USER.name } : {}),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: 'JWT', kid: key.kid })
    .sign(key.privateKey);
}

/** A new refresh token of a grant: opaque, stored hashed, good for one use. */
export async function issueRefreshToken(grant: Grant, lab: LabServices): Promise<string> {
  const token = newSecret(lab, 'slr_');
  const now = lab.now();
  await lab.state.put({
    kind: 'refresh',
    hash: hashSecret(token),
    payload: JSON.stringify(grant),
    createdAt: now,
    expiresAt: now + REFRESH_TOKEN_LIFETIME * 1000,
  });
  return token;
}

/**
 * The answer of the token endpoint (RFC 6749 section 5.1).
 * @param refreshToken the refresh token to hand out, or null for none
 */
export async function tokenResponse(
  grant: Grant,
  refreshToken: string | null,
  controls: Controls,
  lab: LabServices,
): Promise<Record<string, string | number>> {
  const { token, expiresIn } = await issueAccessToken(grant, controls, lab);
  return {
    access_token: token,
    token_type: grant.thumbprint === null ? 'Bearer' : 'DPoP',
    expires_in: expiresIn,
    scope: grant.scope,
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    ...(grant.scope.split(' ').includes('openid') ? { id_token: await issueIdToken(grant, lab) } : {}),
  };
}
