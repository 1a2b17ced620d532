import { and, eq, isNull } from 'drizzle-orm';
import { members } from '@/drizzle/schema';
import { authState } from '@/lib/auth/auth-state';
import { readDeviceCookie } from '@/lib/auth/device-cookie';
import { verifyPassword } from '@/lib/auth/password';
import { logSignIn, NOBODY } from '@/lib/auth/sign-in-log';
import { beginSignIn, failSignIn, succeedSignIn } from '@/lib/auth/sign-in-throttle';
import { canonicalEmail } from '@/lib/contract/fields/email';
import type { Database } from '@/lib/db/database';
import { toDatabaseError } from '@/lib/db/errors';
import type { Services } from '@/lib/operation/services';
import type { Seconds } from '@/lib/units';

/** A member as far as signing in needs it. */
export interface MemberAccount {
  id: string;
  email: string;
  name: string | null;
  passwordHash: string | null;
}

/** How a sign-in by password ended. */
export type PasswordOutcome =
  | { kind: 'member'; member: MemberAccount }
  | { kind: 'wrong' }
  | { kind: 'locked'; seconds: Seconds };

/** The present member with this canonical e-mail. @throws DatabaseUnavailable */
export async function findMember(database: Database, email: string): Promise<MemberAccount | null> {
  try {
    const [row] = await database.drizzle
      .select({ id: members.id, email: members.email, name: members.name, passwordHash: members.passwordHash })
      .from(members)
      .where(and(eq(members.email, email), isNull(members.removedAt)))
      .limit(1);
    return row ?? null;
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** Where a password comes from, beside its address: what shows that the browser has signed in to the account before. */
export interface SignInSource {
  /** In canonical form; null when nothing trustworthy tells it. */
  address: string | null;
  /** The value of the browser's device cookie. */
  deviceCookie?: string | null;
  /** Id of a session of this very account. */
  sessionId?: string | null;
}

/**
 * Checks an e-mail address and a password. Unknown accounts, accounts without a password and wrong passwords are one
 * answer after the same work. At most two passwords are verified at a time, so that a flood of tries takes neither
 * memory nor more of the budget of its address than it has.
 *
 * @throws DatabaseUnavailable, StoreUnavailable: without the store nobody comes in
 * @throws ApiError service_unavailable when too many wait
 */
export function authenticateMember(
  services: Services,
  given: { email: string; password: string },
  { address, deviceCookie = null, sessionId = null }: SignInSource,
): Promise<PasswordOutcome> {
  const { database, authSecret } = services;
  const email = canonicalEmail(given.email);
  const account = email ?? given.email.slice(0, 254).toLowerCase();
  return authState(database).passwords.run(async () => {
    const now = services.clock();
    const device = readDeviceCookie(deviceCookie, account, { authSecret, now });
    const known = sessionId !== null ? `session:${sessionId}` : device !== null ? `device:${device}` : null;
    const place = { address, known };
    const seconds = await beginSignIn(services, account, place);
    if (seconds !== null) return { kind: 'locked', seconds };
    const member = email === null ? null : await findMember(database, email);
    const right = await verifyPassword(given.password, member?.passwordHash ?? null);
    if (member === null || !right) {
      const memberId = member?.id ?? NOBODY;
      await database.batch(logSignIn(database, { memberId, outcome: 'failed', at: now, address, method: 'password' }));
      await failSignIn(services, place);
      return { kind: 'wrong' };
    }
    await succeedSignIn(services, account, place);
    return { kind: 'member', member };
  });
}
