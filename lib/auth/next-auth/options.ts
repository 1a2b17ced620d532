import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuthOptions } from 'next-auth';
import type { OAuthConfig } from 'next-auth/providers/oauth';
import type { Logger } from 'pino';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { issueDeviceCookie } from '@/lib/auth/device-cookie';
import { githubProvider } from '@/lib/auth/github-provider';
import { oidcProvider } from '@/lib/auth/oidc-provider';
import { ProviderAccount } from '@/lib/auth/provider-account';
import { reasonOf, refusalOf } from '@/lib/auth/provider-fault';
import { hashSecret } from '@/lib/auth/secret-hash';
import { findSession, SESSION_ABSOLUTE, type SessionMember } from '@/lib/auth/session';
import { endSession, startSession } from '@/lib/auth/session-store';
import type { ThrottleServices } from '@/lib/auth/sign-in-throttle';
import type { AuthServices } from '@/lib/auth/state';
import type { Config } from '@/lib/config';
import type { SignInRefusal } from '@/lib/contract/sign-in-refusals';
import { ApiError } from '@/lib/http/api-error';

/** What next-auth's callbacks work with; the services of a process have it all. */
export interface NextAuthServices extends AuthServices, ThrottleServices {
  readonly config: Config;
  readonly logger: Logger;
}

/** The result of a sign-in with a provider. `memberId`: the member with the account's address, if any. */
export type ProviderOutcome =
  | { kind: 'member'; member: { id: string; email: string } }
  | { kind: 'refused'; refusal: SignInRefusal; memberId: string | null };

/** Finds, or binds, the member of a provider account. */
export type SignInWithProvider = (provider: 'github' | 'oidc', account: ProviderAccount) => Promise<ProviderOutcome>;

/**
 * One call of next-auth: its input, and what the callbacks leave for the handler. next-auth turns every fault of a
 * callback into a refused sign-in; `fault` keeps it, so that the answer can be 503 instead.
 */
export interface AuthAttempt {
  services: NextAuthServices;
  signInWithProvider: SignInWithProvider;
  /** The client's address in canonical form; null when it is not known. */
  address: string | null;
  userAgent: string | null;
  /** The value of the browser's device cookie. */
  deviceCookie: string | null;
  /** The session that the browser has. */
  session: SessionMember | null;
  /** The member that a provider or a password has proven. */
  member: { id: string; email: string } | null;
  /** Set after a successful sign-in. */
  newDeviceCookie: string | null;
  /** Why a password was refused. */
  rejection: ApiError | null;
  /** Why a sign-in with a provider was refused. */
  refusal: SignInRefusal | null;
  fault: unknown;
}

/** The attempt of the current request: next-auth has one logger for all of them. */
const current = new AsyncLocalStorage<AuthAttempt>();

/** Runs next-auth for an attempt. */
export function duringAttempt<T>(attempt: AuthAttempt, work: () => Promise<T>): Promise<T> {
  return current.run(attempt, work);
}

/** The configured providers beside e-mail and password, in the order of their buttons. */
export function configuredProviders(config: Config): { id: 'github' | 'oidc'; name: string }[] {
  return providers(config).map(({ id, name }) => ({ id: id === 'github' ? 'github' : 'oidc', name }));
}

/**
 * next-auth's options. Its encrypted cookie holds only the secret of a session in the database (`sid`), which decides
 * at every request. Providers only authenticate; members are invited.
 *
 * A sign-in that is refused after too many failures ends with the error `locked:<seconds>`.
 */
export function nextAuthOptions(attempt: AuthAttempt, secureCookies: boolean): AuthOptions {
  const { services, address } = attempt;
  const keeping = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      attempt.fault = error;
      throw error;
    }
  };

  return {
    secret: services.authSecret,
    useSecureCookies: secureCookies,
    session: { strategy: 'jwt', maxAge: SESSION_ABSOLUTE / 1000 },
    pages: { signIn: '/sign-in', signOut: '/sign-in', error: '/sign-in' },
    providers: [
      {
        id: 'credentials',
        name: 'E-mail and password',
        type: 'credentials',
        credentials: { email: { label: 'E-mail', type: 'email' }, password: { label: 'Password', type: 'password' } },
        authorize: async (given) => {
          const { email, password } = { email: String(given?.email ?? ''), password: String(given?.password ?? '') };
          const { deviceCookie } = attempt;
          const outcome = await keeping(() =>
            authenticateMember(services, { email, password }, { address, deviceCookie }),
          );
          if (outcome.kind === 'locked') {
            attempt.rejection = new ApiError('rate_limit_exceeded', 'Too many failed sign-ins.', {
              headers: { 'Retry-After': String(outcome.seconds) },
            });
            throw new Error(`locked:${outcome.seconds}`);
          }
          if (outcome.kind === 'wrong') {
            attempt.rejection = new ApiError('unauthorized', 'Wrong e-mail or password.', {
              headers: { 'WWW-Authenticate': 'Bearer realm="sluice"' },
            });
            return null;
          }
          attempt.member = outcome.member;
          return { id: outcome.member.id, email: outcome.member.email };
        },
      },
      ...providers(services.config),
    ],
    callbacks: {
      async signIn({ account, profile }) {
        if (account?.type === 'credentials') return attempt.member !== null;
        const provider = account?.provider === 'github' ? 'github' : 'oidc';
        const proven = ProviderAccount.parse(profile);
        const outcome = await keeping(() => attempt.signInWithProvider(provider, proven));
        if (outcome.kind === 'member') {
          attempt.member = outcome.member;
          return true;
        }
        attempt.refusal = outcome.refusal;
        const level = outcome.refusal === 'AnotherAccount' ? 'warn' : 'info';
        const { memberId: member } = outcome;
        services.logger[level]({ refusal: outcome.refusal, provider, member, address }, 'sign-in refused');
        return false;
      },
      async jwt({ token, account }) {
        const { member } = attempt;
        if (account != null && member !== null) {
          const { userAgent } = attempt;
          const method =
            account.type === 'credentials' ? 'password' : account.provider === 'github' ? 'github' : 'oidc';
          const session = {
            memberId: member.id,
            method,
            address,
            userAgent,
            replaces: attempt.session?.sessionId ?? null,
          } as const;
          const sid = await keeping(() => startSession(services, session));
          attempt.newDeviceCookie = issueDeviceCookie(member.email, services);
          services.logger.info({ member: member.id, provider: account.provider, address }, 'signed in');
          return { sid };
        }
        // next-auth removes the cookie when this throws.
        attempt.session = await keeping(() => findSession(hashSecret(String(token.sid)), services));
        if (attempt.session === null) throw new Error('The session has ended.');
        return { sid: token.sid };
      },
      session({ session }) {
        if (attempt.session === null) return { expires: session.expires };
        const { id, email, name, role } = attempt.session;
        return { user: { id, email, name, role }, expires: session.expires };
      },
      redirect: ({ url, baseUrl }) => {
        const target = URL.canParse(url, baseUrl) ? new URL(url, baseUrl) : null;
        return target?.origin === baseUrl ? target.href : baseUrl;
      },
    },
    events: {
      async signOut({ token }) {
        const { sid } = token;
        if (typeof sid === 'string') await keeping(() => endSession(services.database, hashSecret(sid)));
      },
    },
    logger: { error: logError, warn: (code) => debug(code, null), debug: () => undefined },
  };
}

/** next-auth's codes for faults of the exchange with a provider. */
const PROVIDER_EVENTS = ['SIGNIN_OAUTH_ERROR', 'OAUTH_CALLBACK_ERROR', 'OAUTH_PARSE_PROFILE_ERROR'];

/** Logs an error of next-auth's; a provider's fault also becomes the refusal. */
function logError(event: string, metadata: unknown): void {
  const attempt = current.getStore();
  // Our own faults are logged elsewhere, and an ended session is no error.
  if (attempt === undefined || attempt.fault !== null) return;
  const fault = faultIn(metadata);
  if (!PROVIDER_EVENTS.includes(event)) {
    debug(event, fault);
    return;
  }
  const refusal = refusalOf(fault);
  attempt.refusal = refusal;
  const { services, address } = attempt;
  const level = refusal === 'SignInExpired' ? 'info' : 'warn';
  services.logger[level]({ refusal, event, reason: reasonOf(fault), address }, 'sign-in refused');
}

function debug(event: string, fault: unknown): void {
  current.getStore()?.services.logger.debug({ event, reason: reasonOf(fault) }, 'next-auth');
}

function faultIn(metadata: unknown): unknown {
  const inner = typeof metadata === 'object' && metadata !== null && 'error' in metadata ? metadata.error : undefined;
  return metadata instanceof Error ? metadata : inner;
}

/** Those that are configured. `parseConfig` has checked that each has all of its variables. */
function providers(config: Config): OAuthConfig<ProviderAccount>[] {
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = config;
  const configured: OAuthConfig<ProviderAccount>[] = [];
  if (GITHUB_CLIENT_ID !== undefined && GITHUB_CLIENT_SECRET !== undefined)
    configured.push(githubProvider(GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET));
  if (OIDC_ISSUER !== undefined && OIDC_CLIENT_ID !== undefined && OIDC_CLIENT_SECRET !== undefined)
    configured.push(
      oidcProvider({ issuer: OIDC_ISSUER, id: OIDC_CLIENT_ID, secret: OIDC_CLIENT_SECRET, name: OIDC_NAME }),
    );
  return configured;
}
