import type { AuthOptions } from 'next-auth';
import { authenticateMember, findMember, type MemberAccount } from '@/lib/auth/authenticate-member';
import { githubProvider } from '@/lib/auth/github-provider';
import { oidcProvider } from '@/lib/auth/oidc-provider';
import { hashSecret } from '@/lib/auth/secret-hash';
import { findSession, SESSION_ABSOLUTE, type SessionMember } from '@/lib/auth/session';
import { endSession, startSession } from '@/lib/auth/session-store';
import type { Seconds } from '@/lib/limiter/meter';
import { canonicalEmail } from '@/lib/schemas/email';
import type { Services } from '@/lib/services';

/**
 * One request to next-auth: what it comes with, and what the callbacks leave for the handler. next-auth turns every
 * fault of a callback into a refused sign-in; here the faults are kept, so that the answer can be 503 instead.
 */
export interface AuthAttempt {
  address: string | null;
  userAgent: string | null;
  /** The session that the browser has. */
  present: SessionMember | null;
  /** Whom a provider or a password has proven. */
  member: MemberAccount | null;
  lockedFor: Seconds | null;
  fault: unknown;
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
 * which decides at every request. Providers only prove an e-mail address; members come in by invitation.
 *
 * A sign-in that is refused for too many failures ends with the error `locked:<seconds>`.
 */
export function nextAuthOptions(services: Services, attempt: AuthAttempt, secureCookies: boolean): AuthOptions {
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
          const outcome = await keeping(() => authenticateMember(services, { email, password }, attempt.address));
          if (outcome.kind === 'locked') {
            attempt.lockedFor = outcome.seconds;
            throw new Error(`locked:${outcome.seconds}`);
          }
          attempt.member = outcome.kind === 'member' ? outcome.member : null;
          return attempt.member === null ? null : { id: attempt.member.id, email: attempt.member.email };
        },
      },
      ...providers(services.config),
    ],
    callbacks: {
      async signIn({ user, account }) {
        if (account?.type === 'credentials') return attempt.member !== null;
        const email = typeof user.email === 'string' ? canonicalEmail(user.email) : null;
        attempt.member = email === null ? null : await keeping(() => findMember(services.database, email));
        return attempt.member !== null;
      },
      async jwt({ token, account }) {
        const { member } = attempt;
        if (account != null && member !== null) {
          const { address, userAgent, present } = attempt;
          const session = { memberId: member.id, address, userAgent, replaces: present?.sessionId ?? null };
          const sid = await keeping(() => startSession(services, session));
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
    logger: {
      error: (code, metadata) => {
        // An ended session is no error of anybody's.
        const level = code === 'JWT_SESSION_ERROR' ? 'debug' : 'warn';
        services.logger[level]({ code, reason: reasonOf(metadata) }, 'next-auth');
      },
      warn: (code) => services.logger.debug({ code }, 'next-auth'),
      debug: () => undefined,
    },
  };
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

/** The sentence of an error, and nothing else: what comes with it can hold tokens and profiles. */
function reasonOf(metadata: unknown): string {
  if (metadata instanceof Error) return metadata.message;
  const inner = typeof metadata === 'object' && metadata !== null && 'error' in metadata ? metadata.error : undefined;
  return inner instanceof Error ? inner.message : 'unknown';
}
