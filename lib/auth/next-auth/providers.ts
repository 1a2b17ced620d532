import type { OAuthConfig } from 'next-auth/providers/oauth';
import { z } from 'zod';
import type { ProviderAccount } from '@/lib/auth/provider-account';

const Account = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() });
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Our issuer for GitHub, whose numeric ids are never reassigned. */
const ISSUER = 'https://github.com';
const API = 'https://api.github.com';

async function read(path: string, token: string): Promise<unknown> {
  const response = await fetch(`${API}${path}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json', 'User-Agent': 'sluice' },
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`GitHub answered ${response.status}.`);
  return response.json();
}

/** Sign-in with GitHub. Only the account's primary e-mail address counts, and only when GitHub has verified it. */
export function githubProvider(clientId: string, clientSecret: string): OAuthConfig<ProviderAccount> {
  return {
    id: 'github',
    name: 'GitHub',
    type: 'oauth',
    issuer: 'https://github.com/login/oauth',
    clientId,
    clientSecret,
    checks: ['pkce', 'state'],
    authorization: { url: 'https://github.com/login/oauth/authorize', params: { scope: 'read:user user:email' } },
    token: 'https://github.com/login/oauth/access_token',
    userinfo: {
      url: `${API}/user`,
      async request({ tokens }): Promise<ProviderAccount> {
        const token = String(tokens.access_token);
        const account = Account.parse(await read('/user', token));
        const primary = Emails.parse(await read('/user/emails', token)).find((email) => email.primary);
        return {
          issuer: ISSUER,
          subject: String(account.id),
          name: account.name ?? account.login,
          email: primary?.email,
          emailVerified: primary?.verified ?? false,
        };
      },
    },
    profile: ({ subject, name }) => ({ id: subject, name }),
  };
}
