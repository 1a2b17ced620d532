import { AsyncLocalStorage } from 'node:async_hooks';
import NextAuth, { type AuthOptions } from 'next-auth';
import { decodeSessionToken } from '@/lib/auth/decode-session-token';
import { issueDeviceCookie } from '@/lib/auth/device-cookie';
import type { AuthAttempt } from '@/lib/auth/next-auth/attempt';
import { buildPasswordProviders } from '@/lib/auth/next-auth/credentials';
import { findProviderFault, readFaultMessage } from '@/lib/auth/next-auth/provider-faults';
import { buildProviders, ProviderAccount, parseProviderId } from '@/lib/auth/next-auth/providers';
import { hashSecret } from '@/lib/auth/secret-hash';
import { endSession, findSession, SESSION_ABSOLUTE, startSession } from '@/lib/auth/session';
import type { Millis } from '@/lib/units';

/** Longest duration of all requests of a sign-in to its provider. */
const PROVIDER_TIME: Millis = 25_000;

/** The attempt of the current request. All requests share one logger of next-auth. */
const current = new AsyncLocalStorage<AuthAttempt>();

/** The part of a Next Pages API request that next-auth 4 reads. */
interface NextAuthRequest extends Record<'headers' | 'cookies', Record<string, string>> {
  method: string;
  query: Record<string, string | string[]>;
  body: Record<string, string> | undefined;
}

/**
 * Calls next-auth 4 with its documented signature of the Pages API, `NextAuth(req, res, options)`. Its App Router
 * signature reads host and cookies from `next/headers`, and would trust any client's `X-Forwarded-Host`.
 */
export async function callNextAuth(attempt: AuthAttempt, request: NextAuthRequest, secureCookies: boolean) {
  const headers = new Headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  const answer: { status: number; headers: Headers; body: string | null } = { status: 200, headers, body: null };
  const response = {
    status(code: number) {
      answer.status = code;
      return response;
    },
    // next-auth reads only `Set-Cookie`.
    getHeader: () => headers.getSetCookie(),
    setHeader(name: string, value: string | string[]) {
      headers.delete(name);
      for (const field of [value].flat()) headers.append(name, field);
      return response;
    },
    send(body: unknown) {
      if (typeof body === 'string') answer.body = body;
      else if (body !== undefined && body !== null) {
        headers.set('Content-Type', 'application/json; charset=utf-8');
        answer.body = JSON.stringify(body);
      }
    },
    end() {},
  };
  const call = NextAuth as (...call: unknown[]) => Promise<void>;
  await current.run(attempt, async () => {
    const called = call(request, response, buildNextAuthOptions(attempt, secureCookies));
    await Promise.race([called, refuseLater(called)]);
  });
  if (attempt.refusal !== undefined) answer.status = 302;
  return answer;
}

/**
 * Refuses a sign-in whose provider takes too long. openid-client waits forever for a provider that answers 101.
 * @param called ends the wait
 */
function refuseLater(called: Promise<void>): Promise<void> {
  return new Promise((done) => {
    const refuse = () => {
      logError('OAUTH_CALLBACK_ERROR', new Error('The requests to the provider timed out.'));
      done();
    };
    const timer = setTimeout(refuse, PROVIDER_TIME);
    const stop = () => clearTimeout(timer);
    called.then(stop, stop);
  });
}

/**
 * Builds next-auth's options. Its encrypted cookie holds only the secret of a session in the database (`sid`). That
 * session is checked at every request. Providers only authenticate; members are invited.
 *
 * A sign-in that is refused after too many failures ends with the error `locked:<seconds>`.
 */
function buildNextAuthOptions(attempt: AuthAttempt, secureCookies: boolean): AuthOptions {
  const { services, requestId, address } = attempt;
  const captureFault = async <T>(work: () => Promise<T>): Promise<T> => {
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
    jwt: { decode: decodeSessionToken },
    pages: { signIn: '/sign-in', signOut: '/sign-in', error: '/sign-in' },
    providers: [...buildPasswordProviders(attempt, captureFault), ...buildProviders(services.config)],
    callbacks: {
      async signIn({ account, profile }) {
        if (account?.type === 'credentials') return attempt.member !== undefined;
        // The provider took too long, and the browser was answered already.
        if (attempt.refusal !== undefined) return false;
        const provider = parseProviderId(account?.provider);
        const proven = ProviderAccount.parse(profile);
        const outcome = await captureFault(() => attempt.signInWithProvider(provider, proven));
        if (outcome.kind === 'member') {
          attempt.member = outcome.member;
          return true;
        }
        const { refusal, memberId: member } = outcome;
        attempt.refusal = refusal;
        const level = refusal === 'AnotherAccount' ? 'warn' : 'info';
        const details = refusal === 'NoRole' ? proven.claimed : null;
        services.logger[level]({ requestId, refusal, provider, member, address, ...details }, 'sign-in refused');
        return false;
      },
      async jwt({ token, account }) {
        const { member, userAgent, since } = attempt;
        if (account != null && member !== undefined) {
          const method = nameSignInMethod(account);
          const replaces = attempt.session?.sessionId ?? null;
          const session = { memberId: member.id, method, address, userAgent, replaces, since, requestId } as const;
          const sid = await captureFault(() => startSession(services, session));
          attempt.newDeviceCookie = issueDeviceCookie(member.email, services);
          services.logger.info({ requestId, member: member.id, provider: account.provider, address }, 'signed in');
          return { sid };
        }
        // next-auth removes the cookie if this throws.
        attempt.session = await captureFault(() => findSession(hashSecret(String(token.sid)), services));
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
        if (typeof sid === 'string') await captureFault(() => endSession(services.database, hashSecret(sid)));
      },
    },
    logger: { error: logError, warn: (code) => debug(code, null), debug: () => undefined },
  };
}

function nameSignInMethod({ type, provider }: { type: string; provider: string }) {
  if (type !== 'credentials') return parseProviderId(provider);
  return provider === 'invitation' ? 'invitation' : 'password';
}

/** next-auth's codes for faults of the exchange with a provider. */
const PROVIDER_EVENTS = ['SIGNIN_OAUTH_ERROR', 'OAUTH_CALLBACK_ERROR', 'OAUTH_PARSE_PROFILE_ERROR'];

/** Logs an error of next-auth. A fault of a provider also becomes the refusal. */
function logError(event: string, metadata: unknown): void {
  const attempt = current.getStore();
  // Other code logs our own faults, and an ended session is no error.
  if (attempt === undefined || attempt.fault !== undefined) return;
  const fault = extractFault(metadata);
  if (!PROVIDER_EVENTS.includes(event)) {
    debug(event, fault);
    return;
  }
  const { refusal, advice } = findProviderFault(fault);
  attempt.refusal = refusal;
  const { services, requestId, address } = attempt;
  const level = advice === null ? 'info' : 'warn';
  services.logger[level](
    { requestId, refusal, event, reason: readFaultMessage(fault), advice, address },
    'sign-in refused',
  );
}

function debug(event: string, fault: unknown): void {
  current.getStore()?.services.logger.debug({ event, reason: readFaultMessage(fault) }, 'next-auth');
}

function extractFault(metadata: unknown): unknown {
  const inner = typeof metadata === 'object' && metadata !== null && 'error' in metadata ? metadata.error : undefined;
  return metadata instanceof Error ? metadata : inner;
}
