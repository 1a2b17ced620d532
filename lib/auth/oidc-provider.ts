import { decodeJwt } from 'jose';
import type { OAuthConfig } from 'next-auth/providers/oauth';
import { z } from 'zod';

/** The claims that are read (OpenID Connect Core 1.0, section 5.1). Some providers send the flag as text. */
const Claims = z.object({
  sub: z.string().min(1),
  name: z.string().optional().catch(undefined),
  email: z.string().optional().catch(undefined),
  email_verified: z
    .union([z.boolean(), z.literal('true').transform(() => true)])
    .optional()
    .catch(undefined),
});
type Claims = z.infer<typeof Claims>;

/**
 * Sign-in with any OpenID provider that publishes its configuration (OpenID Connect Discovery 1.0), with PKCE, state and
 * nonce. An e-mail address counts only with `email_verified: true`; where the ID token leaves it out, the UserInfo
 * endpoint is asked.
 */
export function oidcProvider(settings: {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
}): OAuthConfig<Claims> {
  return {
    id: 'oidc',
    name: settings.name,
    type: 'oauth',
    wellKnown: `${settings.issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`,
    clientId: settings.clientId,
    clientSecret: settings.clientSecret,
    checks: ['pkce', 'state', 'nonce'],
    idToken: true,
    authorization: { params: { scope: 'openid email profile' } },
    httpOptions: { timeout: 10_000 },
    userinfo: {
      async request({ client, tokens }): Promise<Claims> {
        // The client has verified the ID token before it comes here.
        const claims = Claims.parse(decodeJwt(String(tokens.id_token)));
        if (claims.email !== undefined || tokens.access_token === undefined) return claims;
        const more = Claims.parse(await client.userinfo(tokens.access_token));
        if (more.sub !== claims.sub) throw new Error('UserInfo speaks of another subject than the ID token.');
        return more;
      },
    },
    profile: (claims) => ({
      id: claims.sub,
      name: claims.name ?? null,
      email: claims.email_verified === true ? (claims.email ?? null) : null,
    }),
  };
}
