import { and, eq, lte, ne, or } from 'drizzle-orm';
import { sessions } from '@/drizzle/schema';
import { hashSecret } from '@/lib/auth/secret-hash';
import { SESSION_IDLE } from '@/lib/auth/session';
import { logSignIn, type SignInEntry } from '@/lib/auth/sign-in-log';
import type { AuthServices } from '@/lib/auth/state';
import type { Database, Statement } from '@/lib/db/database';
import type { MemberId } from '@/lib/ids';

/** Longest user agent that is kept, in UTF-16 units. */
const LONGEST_AGENT = 256;

export interface NewSession {
  memberId: MemberId;
  method: SignInEntry['method'];
  address: string | null;
  userAgent: string | null;
  /** Id of the browser's previous session, which ends. */
  replaces: string | null;
}

/**
 * Begins a session with a new id after a sign-in, and deletes expired sessions.
 * @returns the session's secret, which only the cookie holds; its SHA-256 is the row's id
 * @throws DatabaseUnavailable
 */
export async function startSession(
  { database, clock, randomBytes, auth }: Pick<AuthServices, 'database' | 'clock' | 'randomBytes' | 'auth'>,
  session: NewSession,
): Promise<string> {
  const now = clock();
  const secret = Buffer.from(randomBytes(32)).toString('base64url');
  const { memberId, method, address } = session;
  await database.batch([
    database.drizzle
      .delete(sessions)
      .where(
        session.replaces === null
          ? lte(sessions.expiresAt, now)
          : or(lte(sessions.expiresAt, now), eq(sessions.id, session.replaces)),
      ),
    database.drizzle.insert(sessions).values({
      id: hashSecret(secret),
      memberId,
      createdAt: now,
      expiresAt: now + SESSION_IDLE,
      address,
      userAgent: session.userAgent?.slice(0, LONGEST_AGENT) ?? null,
    }),
    ...logSignIn(database, { memberId, outcome: 'in', at: now, address, method }),
  ]);
  auth.uses.note(`member:${memberId}`, now);
  return secret;
}

/** Ends one session. @throws DatabaseUnavailable */
export async function endSession(database: Database, id: string): Promise<void> {
  await database.batch([database.drizzle.delete(sessions).where(eq(sessions.id, id))]);
}

/** Ends the sessions of a member, as part of a change. @param except id of a session that stays */
export function endSessionsOf(database: Database, memberId: MemberId, except: string | null): Statement {
  const all = eq(sessions.memberId, memberId);
  return database.drizzle.delete(sessions).where(except === null ? all : and(all, ne(sessions.id, except)));
}
