import { decodeJwt } from 'jose';
import type { OAuthConfig } from 'next-auth/providers/oauth';
import { z } from 'zod';
import type { ProviderAccount } from '@/lib/auth/provider-account';

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

const IdToken = Claims.extend({ iss: z.string().min(1) });

/**
 * Sign-in with any OpenID provider that publishes its configuration (OpenID Connect Discovery 1.0), with PKCE, state and
 * nonce. Issuer and subject identify the account (OpenID Connect Core 1.0, section 5.7). An e-mail address counts only
 * with `email_verified: true`; it comes from the UserInfo endpoint when the ID token has none.
 */
export function oidcProvider(client: {
  issuer: string;
  id: string;
  secret: string;
  /** On the button. */
  name: string;
}): OAuthConfig<ProviderAccount> {
  return {
    id: 'oidc',
    name: client.name,
    type: 'oauth',
    wellKnown: `${client.issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`,
    clientId: client.id,
    clientSecret: client.secret,
    checks: ['pkce', 'state', 'nonce'],
    idToken: true,
    authorization: { params: { scope: 'openid email profile' } },
    httpOptions: { timeout: 10_000 },
    userinfo: {
      async request({ client, tokens }): Promise<ProviderAccount> {
        // The client has verified the ID token before it comes here.
        const claims = IdToken.parse(decodeJwt(String(tokens.id_token)));
        if (claims.email !== undefined || tokens.access_token === undefined) return accountOf(claims.iss, claims);
        const more = Claims.parse(await client.userinfo(tokens.access_token));
        if (more.sub !== claims.sub) throw new Error('UserInfo speaks of another subject than the ID token.');
        return accountOf(claims.iss, more);
      },
    },
    profile: ({ subject, name }) => ({ id: subject, name }),
  };
}

function accountOf(issuer: string, { sub, name, email, email_verified }: z.infer<typeof Claims>): ProviderAccount {
  return { issuer, subject: sub, name, email, emailVerified: email_verified === true };
}
