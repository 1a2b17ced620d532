import { type JWTPayload, SignJWT } from 'jose';
import { RESOURCE_AUDIENCE } from '@/lib/contract/lab-paths';
import { DEMO_USER } from '@/lib/oauth/lab/clients';
import { type Grant, WEAK_ACCESS_TOKEN_LIFETIME } from '@/lib/oauth/lab/grant';
import type { Lab } from '@/lib/oauth/lab/services';
import { SIGNING_ALGORITHM, signingKey } from '@/lib/oauth/lab/signing-key';
import { newId } from '@/lib/oauth/lab/tickets';

/** Life of an access token in seconds (RFC 9700 section 2.2: short). */
const ACCESS_TOKEN_LIFETIME = 900;

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

/** An ID token (OpenID Connect Core section 2): for the client, not for `/api/data`. */
export function issueIdToken(grant: Pick<Grant, 'clientId' | 'scope' | 'nonce'>, lab: Lab): Promise<string> {
  const scopes = grant.scope.split(' ');
  const claims = {
    aud: grant.clientId,
    auth_time: Math.floor(lab.now() / 1000),
    ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    ...(scopes.includes('email') ? { email: DEMO_USER.email, email_verified: true } : {}),
    ...(scopes.includes('profile') ? { name: DEMO_USER.name } : {}),
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
    ...(grant.scope.split(' ').includes('openid') ? { id_token: await issueIdToken(grant, lab) } : {}),
  };
}
