import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { decodeJwt } from 'jose';
import type { OAuthConfig } from 'next-auth/providers/oauth';
import { z } from 'zod';
import { type RoleClaim, RoleFromClaim, readClaimedRole } from '@/lib/auth/next-auth/role-claim';
import { createBoundedFetch } from '@/lib/bounded-fetch';
import type { Config } from '@/lib/config/config';
import { boundAgent } from '@/lib/http/bound-agent';
import type { Millis } from '@/lib/units';

/** The account that signs in with a provider. `issuer` and `subject` together are stable and never reassigned. */
export const ProviderAccount = z.object({
  issuer: z.string().min(1),
  subject: z.string().min(1),
  name: z.string().optional(),
  email: z.string().optional(),
  emailVerified: z.boolean(),
  /** Null if roles are not taken from a claim. */
  claimed: RoleFromClaim.nullable(),
});

export type ProviderAccount = z.infer<typeof ProviderAccount>;
export type ProviderId = 'github' | 'oidc';

export function parseProviderId(name: string | undefined): ProviderId {
  return name === 'github' ? 'github' : 'oidc';
}

/** Longest duration of one request to a provider. */
const PROVIDER_REQUEST_TIME: Millis = 10_000;
/** Most bytes of an answer of GitHub's API. */
const MOST_READ = 1_048_576;
const BOUNDS = { peer: 'provider', time: PROVIDER_REQUEST_TIME };
const overHttp = boundAgent(new HttpAgent(), BOUNDS);
const overHttps = boundAgent(new HttpsAgent(), BOUNDS);

/** Builds the options of openid-client for requests to a provider. Its endpoints must have the scheme of its issuer. */
function buildHttpOptions(issuer: string) {
  return { timeout: PROVIDER_REQUEST_TIME, agent: issuer.startsWith('https:') ? overHttps : overHttp };
}

type Provider = OAuthConfig<ProviderAccount> & { id: ProviderId };

/** Builds the configured providers. `parseConfig` has checked that each has all of its variables. */
export function buildProviders(config: Config): Provider[] {
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = config;
  const configured: Provider[] = [];
  if (GITHUB_CLIENT_ID !== undefined && GITHUB_CLIENT_SECRET !== undefined)
    configured.push(buildGitHubProvider(GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET));
  if (OIDC_ISSUER !== undefined && OIDC_CLIENT_ID !== undefined && OIDC_CLIENT_SECRET !== undefined)
    configured.push(
      buildOidcProvider({
        issuer: OIDC_ISSUER,
        name: config.OIDC_NAME,
        scope: config.OIDC_SCOPE,
        clientId: OIDC_CLIENT_ID,
        clientSecret: OIDC_CLIENT_SECRET,
        roles: readRoleClaim(config),
      }),
    );
  return configured;
}

/** Lists id and name of the configured providers, in the order of their buttons. Pages may show these fields. */
export function listConfiguredProviders(config: Config): Pick<Provider, 'id' | 'name'>[] {
  return buildProviders(config).map(({ id, name }) => ({ id, name }));
}

const AccessToken = z.string().min(1);
const GitHubAccount = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() });
const GitHubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** Origins of GitHub: pages and tokens, and the API. */
const GITHUB = { web: 'https://github.com', api: 'https://api.github.com' };

const fetchGitHub = createBoundedFetch({ peer: 'GitHub API', time: PROVIDER_REQUEST_TIME, bytes: MOST_READ });

async function readGitHub(url: string, token: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json', 'User-Agent': 'sluice' };
  const response = await fetchGitHub(new Request(url, { headers }));
  if (!response.ok) throw new Error(`GitHub answered ${response.status}.`);
  return response.json();
}

/**
 * Builds the sign-in with GitHub. Only the account's primary e-mail address counts, and only if GitHub has verified it.
 * @param origins origins of GitHub; tests use local servers
 */
export function buildGitHubProvider(clientId: string, clientSecret: string, { web, api } = GITHUB): Provider {
  return {
    id: 'github',
    name: 'GitHub',
    type: 'oauth',
    issuer: 'https://github.com/login/oauth',
    clientId,
    clientSecret,
    checks: ['pkce', 'state'],
    httpOptions: buildHttpOptions(web),
    authorization: { url: `${web}/login/oauth/authorize`, params: { scope: 'read:user user:email' } },
    token: `${web}/login/oauth/access_token`,
    userinfo: {
      url: `${api}/user`,
      async request({ tokens }): Promise<ProviderAccount> {
        // An answer of GitHub's token endpoint without a token is passed on as well.
        const token = AccessToken.parse(tokens.access_token);
        const account = GitHubAccount.parse(await readGitHub(`${api}/user`, token));
        const emails = GitHubEmails.parse(await readGitHub(`${api}/user/emails`, token));
        const primary = emails.find((email) => email.primary);
        return {
          // Our issuer for GitHub. Its numeric ids are never reassigned.
          issuer: 'https://github.com',
          subject: String(account.id),
          name: account.name ?? account.login,
          email: primary?.email,
          emailVerified: primary?.verified ?? false,
          claimed: null,
        };
      },
    },
    profile: ({ subject, name }) => ({ id: subject, name }),
  };
}

/** Claims of an account (OpenID Connect Core 1.0, section 5.1). Some providers send the flag as text. */
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

interface OidcSettings {
  issuer: string;
  /** Name on the button. */
  name: string;
  scope: string;
  clientId: string;
  clientSecret: string;
  /** Null if roles are not taken from a claim. */
  roles: RoleClaim | null;
}

function readRoleClaim({ OIDC_ROLE_CLAIM: claim, OIDC_ROLE_MAP: map }: Config): RoleClaim | null {
  return claim === undefined ? null : { claim, map };
}

/**
 * Builds the sign-in with any OpenID provider that publishes its configuration (OpenID Connect Discovery 1.0), with
 * PKCE, state and nonce. Issuer and subject identify the account (OpenID Connect Core 1.0, section 5.7). An e-mail
 * address counts only with `email_verified: true`. Claims that the ID token lacks come from the UserInfo endpoint.
 */
function buildOidcProvider({ issuer, name, scope, clientId, clientSecret, roles }: OidcSettings): Provider {
  return {
    id: 'oidc',
    name,
    type: 'oauth',
    wellKnown: `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    checks: ['pkce', 'state', 'nonce'],
    idToken: true,
    authorization: { params: { scope } },
    httpOptions: buildHttpOptions(issuer),
    userinfo: {
      async request({ client, tokens }): Promise<ProviderAccount> {
        // The client has verified the ID token already.
        const idToken = decodeJwt(String(tokens.id_token));
        const { iss, sub, email } = IdToken.parse(idToken);
        const lacksRole = roles !== null && readClaimedRole(idToken, roles).values.length === 0;
        const asks = (email === undefined || lacksRole) && client.issuer.metadata.userinfo_endpoint !== undefined;
        const more = asks && tokens.access_token !== undefined ? await client.userinfo(tokens.access_token) : idToken;
        if (more.sub !== sub) throw new Error('UserInfo speaks of another subject than the ID token.');
        // The address and its `email_verified` must come from the same source.
        const person = Claims.parse(email === undefined ? more : idToken);
        return {
          issuer: iss,
          subject: sub,
          name: person.name,
          email: person.email,
          emailVerified: person.email_verified === true,
          claimed: roles === null ? null : readClaimedRole(lacksRole ? more : idToken, roles),
        };
      },
    },
    profile: ({ subject, name }) => ({ id: subject, name }),
  };
}
