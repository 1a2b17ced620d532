import type { Logger } from 'pino';
import type { PasswordOutcome } from '@/lib/auth/authenticate-member';
import type { ProviderAccount, ProviderId } from '@/lib/auth/next-auth/providers';
import type { SessionMember } from '@/lib/auth/session';
import type { ThrottleServices } from '@/lib/auth/sign-in-throttle';
import type { AuthServices } from '@/lib/auth/state';
import type { Config } from '@/lib/config/config';
import type { SignInRefusal } from '@/lib/contract/sign-in-refusals';
import type { ApiError } from '@/lib/http/api-error';

/** Services that next-auth's callbacks need. The services of a process include all of them. */
export interface NextAuthServices extends AuthServices, ThrottleServices {
  readonly config: Config;
  readonly logger: Logger;
}

/** Result of a sign-in with a provider. `memberId` is the member with the account's address, if there is one. */
export type ProviderOutcome =
  | { kind: 'member'; member: { id: string; email: string } }
  | { kind: 'refused'; refusal: SignInRefusal; memberId: string | null };

/** Finds, or binds, the member of a provider account. */
export type SignInWithProvider = (provider: ProviderId, account: ProviderAccount) => Promise<ProviderOutcome>;

/**
 * Result of accepting an invitation. `gone`: it was used or replaced, or has expired. `weak`: the new password is refused;
 * `fault` continues its name.
 */
export type InvitationOutcome =
  | Exclude<PasswordOutcome, { kind: 'wrong' }>
  | { kind: 'gone' }
  | { kind: 'weak'; fault: string };

/** An attempt to use an invitation, with the values of its form. */
export interface UsedInvitation extends Pick<AuthAttempt, 'address' | 'deviceCookie'> {
  token: string;
  password: string;
  code: string | undefined;
}

/** Sets the password of the invited member. */
export type AcceptInvitation = (invitation: UsedInvitation) => Promise<InvitationOutcome>;

/**
 * One call of next-auth: its input, and the results of its callbacks for the handler. next-auth turns every fault of a
 * callback into a refused sign-in. `fault` keeps it, so that the answer can be 503 instead.
 */
export interface AuthAttempt {
  services: NextAuthServices;
  signInWithProvider: SignInWithProvider;
  acceptInvitation: AcceptInvitation;
  requestId: string;
  /** Revision that was current before the attempt. */
  since: number;
  /** The client's address in canonical form. Null if it is missing. */
  address: string | null;
  userAgent: string | null;
  /** Value of the browser's device cookie. */
  deviceCookie: string | null;
  /** Current session of the browser. */
  session: SessionMember | null;
  /** Member that a provider or a password has authenticated. */
  member?: { id: string; email: string };
  /** Set after a successful sign-in. */
  newDeviceCookie?: string;
  /** Reason for the refusal of a password. */
  rejection?: ApiError;
  /** Reason for the refusal of a sign-in with a provider. */
  refusal?: SignInRefusal;
  fault?: unknown;
}
