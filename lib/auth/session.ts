import { and, eq, gt, isNull } from 'drizzle-orm';
import { decode } from 'next-auth/jwt';
import { members, sessions } from '@/drizzle/schema';
import { hashSecret } from '@/lib/auth/secret-hash';
import { sessionTokens } from '@/lib/auth/session-cookie';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { toDatabaseError } from '@/lib/db/errors';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/** How long a session lives without a request. */
export const SESSION_IDLE: Millis = 12 * 3_600_000;
/** How long a session lives at most, from its sign-in. */
export const SESSION_ABSOLUTE: Millis = 7 * 24 * 3_600_000;
/** How much of the idle time may be gone before it is written anew. */
const TOUCH_AFTER: Millis = 5 * 60_000;

/** The person behind a session, as the database knows them at this moment. */
export interface SessionMember {
  id: string;
  email: string;
  name: string | null;
  role: MemberRole;
  sessionId: string;
}

type SessionServices = Pick<Services, 'database' | 'clock' | 'config' | 'authSecret'>;

/**
 * Who is signed in. The cookie only names a session; the database says at every call whether it still lives and what
 * its member is now, so that a sign-out, a removal or a changed role counts at once.
 *
 * @param cookieHeader the request's `Cookie` header
 * @returns null when nobody is
 * @throws DatabaseUnavailable
 */
export async function readSession(
  cookieHeader: string | null,
  services: SessionServices,
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

/** The member of a session that lives, by the session's id. @throws DatabaseUnavailable */
export async function findSession(
  id: string,
  services: Pick<Services, 'database' | 'clock'>,
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
      // Whoever is signed in stays so for the time that was written before.
      await touch.catch(() => undefined);
    }
    return { ...member, sessionId: id };
  } catch (error) {
    throw toDatabaseError(error);
  }
}
