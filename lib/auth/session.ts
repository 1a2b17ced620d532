import { and, eq, exists, getTableColumns, gt, isNull, ne, notInArray, sql } from 'drizzle-orm';
import { audit, members, secondFactors, sessions, settings } from '@/drizzle/schema';
import { decodeSessionToken } from '@/lib/auth/decode-session-token';
import { hashSecret } from '@/lib/auth/secret-hash';
import { logSignIn, type SignInEntry } from '@/lib/auth/sign-in-log';
import type { AuthServices } from '@/lib/auth/state';
import type { AuditAction } from '@/lib/contract/audit-actions';
import type { Database, Statement } from '@/lib/db/database';
import { convertDatabaseError } from '@/lib/db/errors';
import { ApiError } from '@/lib/http/api-error';
import type { MemberId } from '@/lib/ids';
import { DAY, HOUR, MINUTE, type Millis } from '@/lib/units';

/** Time after which an idle session ends. */
export const SESSION_IDLE: Millis = 12 * HOUR;
/** Longest lifetime of a session, from its sign-in. */
export const SESSION_ABSOLUTE: Millis = 7 * DAY;
/** Idle time after which the new expiry is written. */
const TOUCH_AFTER: Millis = 5 * MINUTE;

/** The signed-in member, as currently stored in the database. */
export interface SessionMember extends Pick<typeof members.$inferSelect, 'id' | 'email' | 'name' | 'role'> {
  sessionId: string;
  /** True if the member must set up a second factor before any other action. */
  mustSetUp: boolean;
}

/** Name of the row in `settings` with the rules for sign-ins. */
export const SIGN_IN_SETTING = 'sign-in';

/** True if an owner requires a second factor for all members. True if the setting cannot be read. */
const isRequired = sql<number>`exists (select 1 from ${settings} where ${settings.name} = ${SIGN_IN_SETTING}
  and iif(json_valid(${settings.value}), json_extract(${settings.value}, '$.second_factor'), null) is not 'optional')`;

/** True if the member of a session has a second factor. */
const hasFactor = sql<number>`exists (select 1 from ${secondFactors}
  where ${secondFactors.memberId} = ${sessions.memberId} and ${secondFactors.confirmedAt} is not null)`;

/** Returns whether a session began at a provider, which checks its own second factor. */
function isOfProvider(method: string | null): boolean {
  return method === 'github' || method === 'oidc';
}

/**
 * Reads the signed-in member. The cookie only names a session. Every call reads session and member from the database,
 * so a sign-out, a removal or a changed role takes effect at once.
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
  for (const token of listSessionTokens(cookieHeader, secureOnly)) {
    const secret = await decodeSessionSecret(token, services.authSecret);
    const member = secret === null ? null : await findSession(hashSecret(secret), services);
    if (member !== null) return member;
  }
  return null;
}

async function decodeSessionSecret(token: string, authSecret: string): Promise<string | null> {
  const payload = await decodeSessionToken({ token, secret: authSecret }).catch(() => null);
  return typeof payload?.sid === 'string' ? payload.sid : null;
}

/** Finds the member of a valid session by the session's id, and extends the session. @throws DatabaseUnavailable */
export async function findSession(
  id: string,
  services: Pick<AuthServices, 'database' | 'clock'>,
): Promise<SessionMember | null> {
  const now = services.clock();
  const { drizzle } = services.database;
  try {
    const { id: memberId, email, name, role } = members;
    const current = and(eq(sessions.id, id), gt(sessions.expiresAt, now));
    const [row] = await drizzle
      .select({
        member: { id: memberId, email, name, role },
        session: getTableColumns(sessions),
        unprotected: sql<number>`${isRequired} and not ${hasFactor}`,
      })
      .from(sessions)
      .innerJoin(members, eq(memberId, sessions.memberId))
      .where(and(current, isNull(members.removedAt)));
    if (row === undefined) return null;
    const { member, unprotected } = row;
    const { createdAt, expiresAt, method } = row.session;
    const until = Math.min(now + SESSION_IDLE, createdAt + SESSION_ABSOLUTE);
    if (until - expiresAt > TOUCH_AFTER || now - (row.session.lastSeenAt ?? createdAt) > TOUCH_AFTER) {
      const touch = drizzle.update(sessions).set({ expiresAt: until, lastSeenAt: now }).where(current);
      // If the write fails, the session keeps its expiry.
      await touch.catch(() => undefined);
    }
    return { ...member, sessionId: id, mustSetUp: unprotected === 1 && !isOfProvider(method) };
  } catch (error) {
    throw convertDatabaseError(error);
  }
}

interface NewSession {
  memberId: MemberId;
  method: SignInEntry['method'];
  address: string | null;
  /** User agent. Its first 256 UTF-16 units are stored. */
  userAgent: string | null;
  /** Id of the browser's previous session, which ends. */
  replaces: string | null;
  /** Revision that was current before the member proved anything. */
  since: number;
  /** Request of the sign-in. */
  requestId: string;
}

/** Changes that a sign-in with a provider makes. They end no other sign-in of the member. */
const BY_SIGN_IN: AuditAction[] = ['member.join', 'member.bind', 'member.follow_claim', 'member.refuse_sign_in'];

/**
 * Begins a session with a new id after a sign-in. A change of the member during the sign-in may have replaced the password,
 * or ended all sessions. The new session then ends in its own transaction.
 * @returns the session's secret, which only the cookie holds; its SHA-256 is the row's id
 * @throws DatabaseUnavailable; ApiError conflict if the member was changed during the sign-in
 */
export async function startSession(
  { database, clock, randomBytes, auth }: Pick<AuthServices, 'database' | 'clock' | 'randomBytes' | 'auth'>,
  session: NewSession,
): Promise<string> {
  const now = clock();
  const secret = Buffer.from(randomBytes(32)).toString('base64url');
  const id = hashSecret(secret);
  const { memberId, method, address, replaces, since, requestId } = session;
  const { drizzle } = database;
  const isForeign = and(sql`${audit.requestId} is not ${requestId}`, notInArray(audit.action, BY_SIGN_IN));
  const changes = drizzle
    .select({ seq: audit.seq })
    .from(audit)
    .where(and(eq(audit.target, memberId), gt(audit.seq, since), isForeign));
  await database.batch([
    ...(replaces === null ? [] : [drizzle.delete(sessions).where(eq(sessions.id, replaces))]),
    drizzle.insert(sessions).values({
      id,
      memberId,
      createdAt: now,
      expiresAt: now + SESSION_IDLE,
      address,
      method,
      lastSeenAt: now,
      userAgent: session.userAgent?.slice(0, 256) ?? null,
    }),
    ...logSignIn(database, { memberId, outcome: 'in', at: now, address, method }),
    drizzle.delete(sessions).where(and(eq(sessions.id, id), exists(changes))),
  ]);
  if ((await findSession(id, { database, clock })) === null)
    throw new ApiError('conflict', 'Your account was changed while you signed in. Sign in again.');
  auth.uses.note(`member:${memberId}`, now);
  return secret;
}

/** Ends one session. @throws DatabaseUnavailable */
export async function endSession(database: Database, id: string): Promise<void> {
  await database.batch([database.drizzle.delete(sessions).where(eq(sessions.id, id))]);
}

/** Ends the sessions of a member, as part of a change. @param except id of a session that stays */
export function deleteSessions(database: Database, memberId: MemberId, except: string | null): Statement {
  const all = eq(sessions.memberId, memberId);
  return database.drizzle.delete(sessions).where(except === null ? all : and(all, ne(sessions.id, except)));
}

/** Name of next-auth's session cookie over http. Over https it has the prefix `__Secure-`. */
const SESSION_COOKIE = 'next-auth.session-token';

/** Parses a `Cookie` header (RFC 6265 section 4.2). Values stay unchanged. The first cookie of a repeated name wins. */
export function parseCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals < 1) continue;
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    if (name !== '' && !cookies.has(name)) cookies.set(name, value.replace(/^"(.*)"$/, '$1'));
  }
  return cookies;
}

/**
 * Lists the session tokens in a `Cookie` header, best first. A token is whole, or in up to 5 numbered pieces (`name.0`,
 * `name.1`, ...).
 * @param secureOnly use only the cookie with the `__Secure-` prefix, which a page over http cannot have set
 */
function listSessionTokens(header: string | null, secureOnly: boolean): string[] {
  const cookies = parseCookies(header);
  const names = [`__Secure-${SESSION_COOKIE}`, ...(secureOnly ? [] : [SESSION_COOKIE])];
  return names.flatMap((name) => {
    const whole = cookies.get(name);
    if (whole) return [whole];
    const pieces: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      const piece = cookies.get(`${name}.${index}`);
      if (piece === undefined) break;
      pieces.push(piece);
    }
    return pieces.length > 0 ? [pieces.join('')] : [];
  });
}
