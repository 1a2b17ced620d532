import { and, eq, gt, isNull } from 'drizzle-orm';
import { decode } from 'next-auth/jwt';
import { members, sessions } from '@/drizzle/schema';
import { hashSecret } from '@/lib/auth/secret-hash';
import { sessionTokens } from '@/lib/auth/session-cookie';
import type { AuthServices } from '@/lib/auth/state';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { toDatabaseError } from '@/lib/db/errors';
import type { Millis } from '@/lib/units';

/** How long a session lives without a request. */
export const SESSION_IDLE: Millis = 12 * 3_600_000;
/** How long a session lives at most, from its sign-in. */
export const SESSION_ABSOLUTE: Millis = 7 * 24 * 3_600_000;
/** How much of the idle time may pass before the new expiry is written. */
const TOUCH_AFTER: Millis = 5 * 60_000;

/** The signed-in member, as the database has them now. */
export interface SessionMember {
  id: string;
  email: string;
  name: string | null;
  role: MemberRole;
  sessionId: string;
}

/**
 * The signed-in member. The cookie only names a session; every call reads session and member from the database, so a
 * sign-out, a removal or a changed role takes effect at once.
 *
 * @param cookieHeader the request's `Cookie` header
 * @returns null without a valid session
 * @throws DatabaseUnavailable
 */
export async function readSession(
  cookieHeader: string | null,
  services: Pick<AuthServices, 'database' | 'clock' | 'config' | 'authSecret'>,
): Promise<SessionMember | null> {
  const secureOnly = services.config.SLUICE_PUBLIC_URL?.startsWith('https:') ?? false;
  for (const token of sessionTokens(cookieHeader, secureOnly)) {
    const secret = await sessionSecret(token, services.authSecret);
    const member = secret === null ? null : await findSession(hashSecret(secret), services);
    if (member !== null) return member;
  }
  return null;
}

async function sessionSecret(token: string, authSecret: string): Promise<string | null> {
  try {
    const payload = await decode({ token, secret: authSecret });
    return typeof payload?.sid === 'string' ? payload.sid : null;
  } catch {
    return null;
  }
}

/** The member of a valid session, by the session's id; extends the session. @throws DatabaseUnavailable */
export async function findSession(
  id: string,
  services: Pick<AuthServices, 'database' | 'clock'>,
): Promise<SessionMember | null> {
  const now = services.clock();
  const { drizzle } = services.database;
  try {
    const [row] = await drizzle
      .select({
        id: members.id,
        email: members.email,
        name: members.name,
        role: members.role,
        createdAt: sessions.createdAt,
        expiresAt: sessions.expiresAt,
      })
      .from(sessions)
      .innerJoin(members, eq(members.id, sessions.memberId))
      .where(and(eq(sessions.id, id), gt(sessions.expiresAt, now), isNull(members.removedAt)))
      .limit(1);
    if (row === undefined) return null;
    const { createdAt, expiresAt, ...member } = row;
    const until = Math.min(now + SESSION_IDLE, createdAt + SESSION_ABSOLUTE);
    if (until - expiresAt > TOUCH_AFTER) {
      const touch = drizzle
        .update(sessions)
        .set({ expiresAt: until })
        .where(and(eq(sessions.id, id), gt(sessions.expiresAt, now)));
      // Without the write the session keeps the expiry that it has.
      await touch.catch(() => undefined);
    }
    return { ...member, sessionId: id };
  } catch (error) {
    throw toDatabaseError(error);
  }
}
