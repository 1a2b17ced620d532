import { decodeJwt } from 'jose';
import type { OAuthConfig } from 'next-auth/providers/oauth';
import { z } from 'zod';
import type { Config } from '@/lib/config';
import type { SignInRefusal } from '@/lib/contract/sign-in-refusals';

/** The account that signs in with a provider. `issuer` and `subject` together are stable and never reassigned. */
export const ProviderAccount = z.object({
  issuer: z.string().min(1),
  subject: z.string().min(1),
  name: z.string().optional(),
  email: z.string().optional(),
  emailVerified: z.boolean(),
});

export type ProviderAccount = z.infer<typeof ProviderAccount>;
export type ProviderId = 'github' | 'oidc';

export function providerIdOf(name: string | undefined): ProviderId {
  return name === 'github' ? 'github' : 'oidc';
}

type Provider = OAuthConfig<ProviderAccount> & { id: ProviderId };

/** The providers that are configured; `parseConfig` has checked that each has all of its variables. */
export function providersOf(config: Config): Provider[] {
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = config;
  const configured: Provider[] = [];
  if (GITHUB_CLIENT_ID !== undefined && GITHUB_CLIENT_SECRET !== undefined)
    configured.push(githubProvider(GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET));
  if (OIDC_ISSUER !== undefined && OIDC_CLIENT_ID !== undefined && OIDC_CLIENT_SECRET !== undefined)
    configured.push(oidcProvider(OIDC_ISSUER, OIDC_NAME, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET));
  return configured;
}

/** What a page shows of `providersOf`: nothing of their secrets. In the order of their buttons. */
export function configuredProviders(config: Config): Pick<Provider, 'id' | 'name'>[] {
  return providersOf(config).map(({ id, name }) => ({ id, name }));
}

const GitHubAccount = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() });
const GitHubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
const GITHUB_API = 'https://api.github.com';

async function readGitHub(path: string, token: string): Promise<unknown> {
  const response = await fetch(`${GITHUB_API}${path}`, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json', 'User-Agent': 'sluice' },
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`GitHub answered ${response.status}.`);
  return response.json();
}

/** Sign-in with GitHub. Only the account's primary e-mail address counts, and only when GitHub has verified it. */
export function githubProvider(clientId: string, clientSecret: string): Provider {
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
      url: `${GITHUB_API}/user`,
      async request({ tokens }): Promise<ProviderAccount> {
        const token = String(tokens.access_token);
        const account = GitHubAccount.parse(await readGitHub('/user', token));
        const emails = GitHubEmails.parse(await readGitHub('/user/emails', token));
        const primary = emails.find((email) => email.primary);
        return {
          // Our issuer for GitHub, whose numeric ids are never reassigned.
          issuer: 'https://github.com',
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
function oidcProvider(issuer: string, name: string, clientId: string, clientSecret: string): Provider {
  return {
    id: 'oidc',
    name,
    type: 'oauth',
    wellKnown: `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    checks: ['pkce', 'state', 'nonce'],
    idToken: true,
    authorization: { params: { scope: 'openid email profile' } },
    httpOptions: { timeout: 10_000 },
    userinfo: {
      async request({ client, tokens }): Promise<ProviderAccount> {
        // The client has verified the ID token before it comes here.
        const { iss, ...claims } = IdToken.parse(decodeJwt(String(tokens.id_token)));
        const { sub, name, email, email_verified } =
          claims.email !== undefined || tokens.access_token === undefined
            ? claims
            : Claims.parse(await client.userinfo(tokens.access_token));
        if (sub !== claims.sub) throw new Error('UserInfo speaks of another subject than the ID token.');
        return { issuer: iss, subject: sub, name, email, emailVerified: email_verified === true };
      },
    },
    profile: ({ subject, name }) => ({ id: subject, name }),
  };
}

/** Codes of a connection that failed or was lost. */
const NETWORK =
  /^(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)|UND_ERR_)/;
const NO_ANSWER = /timed out|due to timeout|fetch failed|socket hang up|(?:got:|answered) 5\d\d/i;
/** Messages of openid-client, jose and next-auth for a sign-in that began too long ago, or in another browser. */
const EXPIRED =
  /cookie was missing|cookie was created for|could not be parsed|(?:state|nonce) (?:mismatch|missing)|invalid_grant|bad_verification_code|timestamp check failed|decryption operation failed|invalid compact jwe/i;

/** The refusal for a fault of the exchange with a provider. */
export function refusalOf(fault: unknown): SignInRefusal {
  const { message, code } = partsOf(fault);
  if (NETWORK.test(code) || NO_ANSWER.test(message)) return 'ProviderDown';
  return EXPIRED.test(message) ? 'SignInExpired' : 'ProviderMisconfigured';
}

const REFUSED = /^(?:access_denied|login_required|consent_required|interaction_required|account_selection_required)$/;
const DOWN = /^(?:server_error|temporarily_unavailable)$/;

/** The refusal for a provider's own `error` (RFC 6749 section 4.1.2.1, OpenID Connect Core 1.0 section 3.1.2.6). */
export function refusalOfProviderError(error: string): SignInRefusal {
  if (REFUSED.test(error)) return 'ProviderRefused';
  return DOWN.test(error) ? 'ProviderDown' : 'ProviderMisconfigured';
}

/**
 * The message of a fault for the log, and nothing else: its other fields can hold tokens and profiles, and the expected
 * value of a mismatch is a secret.
 */
export function reasonOf(fault: unknown): string {
  const { message, code } = partsOf(fault);
  return message.replace(/^(\w+ mismatch),.*$/s, '$1') || code || 'unknown';
}

function partsOf(fault: unknown): { message: string; code: string } {
  if (!(fault instanceof Error)) return { message: '', code: '' };
  return { message: fault.message, code: 'code' in fault && typeof fault.code === 'string' ? fault.code : '' };
}
