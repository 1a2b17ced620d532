import { and, eq, isNull } from 'drizzle-orm';
import { members } from '@/drizzle/schema';
import { readDeviceCookie } from '@/lib/auth/device-cookie';
import { verifyPassword } from '@/lib/auth/password';
import { askSecondFactor } from '@/lib/auth/second-factor/ask-second-factor';
import { logSignIn, NOBODY } from '@/lib/auth/sign-in-log';
import {
  beginSignIn,
  clearFailedSignIns,
  recordFailedSignIn,
  type ThrottleServices,
} from '@/lib/auth/sign-in-throttle';
import type { AuthServices } from '@/lib/auth/state';
import { parseEmail } from '@/lib/contract/fields/text';
import type { Database } from '@/lib/db/database';
import { convertDatabaseError } from '@/lib/db/errors';
import { ApiError } from '@/lib/http/api-error';
import { QueueFull } from '@/lib/semaphore';
import type { Seconds } from '@/lib/units';

/** Fields of a member that a sign-in needs. */
export type ProvenMember = Pick<typeof members.$inferSelect, 'id' | 'email' | 'passwordHash'>;

/** Result of a sign-in by password. `seconds` is the time to wait. */
export type PasswordOutcome =
  | { kind: 'member'; member: ProvenMember }
  | { kind: 'wrong' }
  /** The password is right, but the code of the second factor is `missing` or `wrong`. */
  | { kind: 'code'; code: 'missing' | 'wrong' }
  | { kind: 'locked'; seconds: Seconds };

/** Finds the current member with this canonical e-mail. @throws DatabaseUnavailable */
async function findMember(database: Database, email: string): Promise<ProvenMember | null> {
  try {
    const current = and(eq(members.email, email), isNull(members.removedAt));
    return (await database.drizzle.select().from(members).where(current)).at(0) ?? null;
  } catch (error) {
    throw convertDatabaseError(error);
  }
}

/** Origin of a password, with evidence that the browser has signed in to the account before. */
export interface SignInSource {
  /** Address in canonical form. Null if it is missing. */
  address: string | null;
  /** Value of the browser's device cookie. */
  deviceCookie?: string | null;
  /**
   * Id of a session of this account that has passed the second factor. The factor is then checked only if `code` is
   * given.
   */
  sessionId?: string | null;
}

/**
 * Checks an e-mail address and a password, and a code if the member has a second factor. Missing accounts, accounts
 * without a password and wrong passwords get the same answer after the same work.
 *
 * A wrong code counts like a wrong password. It also counts among the codes of the account, which only a right code
 * clears. At most two passwords are verified at a time, which bounds the memory of a flood.
 *
 * @throws DatabaseUnavailable, StoreUnavailable: without the store no password is accepted
 * @throws ApiError service_unavailable if too many sign-ins wait
 */
export function authenticateMember(
  services: ThrottleServices & Pick<AuthServices, 'auth' | 'clock'>,
  credentials: { email: string; password: string; code?: string | undefined },
  { address, deviceCookie = null, sessionId = null }: SignInSource,
): Promise<PasswordOutcome> {
  const { database, authSecret } = services;
  const email = parseEmail(credentials.email);
  const account = email ?? credentials.email.slice(0, 254).toLowerCase();
  const attempt = async (): Promise<PasswordOutcome> => {
    const now = services.clock();
    const device = readDeviceCookie(deviceCookie, account, { authSecret, now });
    const knownBrowser = sessionId !== null ? `session:${sessionId}` : device !== null ? `device:${device}` : null;
    const place = { address, knownBrowser };
    const seconds = await beginSignIn(services, account, place);
    if (seconds !== null) return { kind: 'locked', seconds };
    const member = email === null ? null : await findMember(database, email);
    const right = await verifyPassword(credentials.password, member?.passwordHash ?? null);
    if (member === null || !right) {
      const memberId = member?.id ?? NOBODY;
      await database.batch(logSignIn(database, { memberId, outcome: 'failed', at: now, address, method: 'password' }));
      await recordFailedSignIn(services, place);
      return { kind: 'wrong' };
    }
    if (sessionId === null || credentials.code !== undefined) {
      const factor = await askSecondFactor(services, member.id, credentials.code);
      if (factor.kind === 'code' && factor.code === 'wrong') {
        const failed = { memberId: member.id, outcome: 'failed', at: now, address, method: 'code' } as const;
        await database.batch(logSignIn(database, failed));
        await recordFailedSignIn(services, place);
      }
      if (factor.kind !== 'passed') return factor;
    }
    await clearFailedSignIns(services, account, place);
    return { kind: 'member', member };
  };
  return services.auth.passwords.run(attempt).catch((error: unknown) => {
    if (!(error instanceof QueueFull)) throw error;
    throw new ApiError('service_unavailable', 'Too many people are signing in right now.', {
      headers: { 'Retry-After': '2' },
    });
  });
}
