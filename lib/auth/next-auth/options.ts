import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuthOptions } from 'next-auth';
import { signInWithProvider } from '@/lib/admin/members/sign-in-with-provider';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { issueDeviceCookie } from '@/lib/auth/device-cookie';
import { githubProvider } from '@/lib/auth/github-provider';
import { oidcProvider } from '@/lib/auth/oidc-provider';
import { ProviderAccount } from '@/lib/auth/provider-account';
import { reasonOf, refusalOf } from '@/lib/auth/provider-fault';
import { hashSecret } from '@/lib/auth/secret-hash';
import { findSession, SESSION_ABSOLUTE, type SessionMember } from '@/lib/auth/session';
import { endSession, startSession } from '@/lib/auth/session-store';
import type { SignInRefusal } from '@/lib/contract/session';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';

/**
 * One request to next-auth: what it comes with, and what the callbacks leave for the handler. next-auth turns every
 * fault of a callback into a refused sign-in; here the faults are kept, so that the answer can be 503 instead.
 */
export interface AuthAttempt {
  /** The sign-in as a change that leaves an audit record. */
  context: Context;
  userAgent: string | null;
  /** The value of the browser's device cookie. */
  deviceCookie: string | null;
  /** The session that the browser has. */
  present: SessionMember | null;
  /** Whom a provider or a password has proven. */
  member: { id: string; email: string } | null;
  /** Set when the sign-in succeeded: the value of the device cookie to keep. */
  newDeviceCookie: string | null;
  /** Why a password was refused. */
  rejection: ApiError | null;
  /** Why a sign-in with a provider was refused. */
  refusal: SignInRefusal | null;
  fault: unknown;
}

/** The attempt that is under way. next-auth has one logger for all requests; this tells whose line it is. */
const current = new AsyncLocalStorage<AuthAttempt>();

/** Runs next-auth for an attempt. */
export function duringAttempt<T>(attempt: AuthAttempt, work: () => Promise<T>): Promise<T> {
  return current.run(attempt, work);
}

/** The providers that are configured beside e-mail and password, in the order of their buttons. */
export function configuredProviders(config: Services['config']): { id: 'github' | 'oidc'; name: string }[] {
  const { GITHUB_CLIENT_ID, OIDC_ISSUER, OIDC_NAME } = config;
  return [
    ...(GITHUB_CLIENT_ID === undefined ? [] : [{ id: 'github' as const, name: 'GitHub' }]),
    ...(OIDC_ISSUER === undefined ? [] : [{ id: 'oidc' as const, name: OIDC_NAME }]),
  ];
}

/**
 * How next-auth works here. Its encrypted cookie carries nothing but the secret of a session in the database (`sid`),
 * which decides at every request. Providers only prove who somebody is; members come in by invitation.
 *
 * A sign-in that is refused for too many failures ends with the error `locked:<seconds>`.
 */
export function nextAuthOptions(services: Services, attempt: AuthAttempt, secureCookies: boolean): AuthOptions {
  const { address } = attempt.context;
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
            attempt.rejection = new ApiError('unauthorized', 'E-mail address and password do not belong together.', {
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
        const outcome = await keeping(() => signInWithProvider(attempt.context, provider, proven));
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
          const { userAgent, present } = attempt;
          const method =
            account.type === 'credentials' ? 'password' : account.provider === 'github' ? 'github' : 'oidc';
          const session = {
            memberId: member.id,
            method,
            address,
            userAgent,
            replaces: present?.sessionId ?? null,
          } as const;
          const sid = await keeping(() => startSession(services, session));
          attempt.newDeviceCookie = issueDeviceCookie(member.email, services);
          services.logger.info({ member: member.id, provider: account.provider, address }, 'signed in');
          return { sid };
        }
        // next-auth removes the cookie when this throws.
        attempt.present = await keeping(() => findSession(hashSecret(String(token.sid)), services));
        if (attempt.present === null) throw new Error('The session has ended.');
        return { sid: token.sid };
      },
      session({ session }) {
        if (attempt.present === null) return { expires: session.expires };
        const { id, email, name, role } = attempt.present;
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

/** What next-auth calls the faults on the way to a provider and back. */
const PROVIDER_EVENTS = ['SIGNIN_OAUTH_ERROR', 'OAUTH_CALLBACK_ERROR', 'OAUTH_PARSE_PROFILE_ERROR'];

/** A line for an error that next-auth has met; one of a provider's is also why the sign-in is refused. */
function logError(event: string, metadata: unknown): void {
  const attempt = current.getStore();
  // A fault of ours has a line of its own, and an ended session is no error of anybody's.
  if (attempt === undefined || attempt.fault !== null) return;
  const fault = faultIn(metadata);
  if (!PROVIDER_EVENTS.includes(event)) {
    debug(event, fault);
    return;
  }
  const refusal = refusalOf(fault);
  attempt.refusal = refusal;
  const { services, address } = attempt.context;
  const level = refusal === 'SignInExpired' ? 'info' : 'warn';
  services.logger[level]({ refusal, event, reason: reasonOf(fault), address }, 'sign-in refused');
}

function debug(event: string, fault: unknown): void {
  current.getStore()?.context.services.logger.debug({ event, reason: reasonOf(fault) }, 'next-auth');
}

function faultIn(metadata: unknown): unknown {
  const inner = typeof metadata === 'object' && metadata !== null && 'error' in metadata ? metadata.error : undefined;
  return metadata instanceof Error ? metadata : inner;
}

function providers(config: Services['config']): AuthOptions['providers'] {
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = config;
  const list: AuthOptions['providers'] = [];
  if (GITHUB_CLIENT_ID !== undefined && GITHUB_CLIENT_SECRET !== undefined) {
    list.push(githubProvider(GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET));
  }
  if (OIDC_ISSUER !== undefined && OIDC_CLIENT_ID !== undefined && OIDC_CLIENT_SECRET !== undefined) {
    list.push(
      oidcProvider({
        issuer: OIDC_ISSUER,
        clientId: OIDC_CLIENT_ID,
        clientSecret: OIDC_CLIENT_SECRET,
        name: OIDC_NAME,
      }),
    );
  }
  return list;
}
