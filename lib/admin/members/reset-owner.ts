import { and, asc, eq, isNull, type SQL } from 'drizzle-orm';
import { members } from '@/drizzle/schema';
import { changeFromOutside } from '@/lib/admin/change';
import { buildInvitation } from '@/lib/admin/members/new-invitation';
import { NoSuchOwner } from '@/lib/admin/members/no-such-owner';
import { buildMemberRecord } from '@/lib/admin/members/row';
import { SYSTEM } from '@/lib/auth/actor';
import { findSecondFactor } from '@/lib/auth/second-factor/ask-second-factor';
import { dropSecondFactor } from '@/lib/auth/second-factor/rows';
import { deleteSessions } from '@/lib/auth/session';
import { parseEmail } from '@/lib/contract/fields/text';
import type { Database } from '@/lib/db/database';
import { HOUR, type Millis } from '@/lib/units';

/** Options of the command line. */
export interface OwnerReset {
  /** Address of the owner. Null if there is only one. */
  email: string | null;
  /** True to remove the second factor too. */
  secondFactor: boolean;
}

/** One hour, because the operator uses the link right after running the command. */
const LINK_LIFETIME: Millis = HOUR;

interface ResetOptions {
  database: Database;
  clock: () => Millis;
  randomBytes: (size: number) => Uint8Array;
  /** Origin of the link. */
  origin: string;
}

/**
 * Creates a one-time link with which an owner who lost the password sets a new one.
 * The old password and all sessions end at once, because the loss may be a theft. Needs only the database, and works
 * while servers use it.
 *
 * @throws NoSuchOwner if no member matches, the member is not an owner, or several owners exist and none is named
 */
export async function resetOwner(options: ResetOptions, { email, secondFactor }: OwnerReset) {
  const { database, clock, randomBytes, origin } = options;
  const context = { services: { database, randomBytes }, facts: { origin }, actor: SYSTEM, now: clock() };
  let done = { email: '', link: { url: '', expires_at: '' }, needsCode: false };
  await changeFromOutside(database, { actor: SYSTEM, reason: null, clock }, async (revision) => {
    const owner = await chooseOwner(database, email);
    const { id } = owner;
    const { statement, link } = buildInvitation(context, id, LINK_LIFETIME);
    const hadFactor = (await findSecondFactor(database, id))?.confirmedAt != null;
    const changed = { ...owner, passwordHash: null };
    done = { email: owner.email, link, needsCode: hadFactor && !secondFactor };
    return {
      audit: {
        action: 'member.reset_owner',
        target: id,
        before: { ...buildMemberRecord(owner), second_factor: hadFactor },
        after: { ...buildMemberRecord(changed), second_factor: done.needsCode },
      },
      statements: [
        database.drizzle.update(members).set({ passwordHash: null, revision }).where(eq(members.id, id)),
        statement,
        deleteSessions(database, id, null),
        ...(secondFactor ? dropSecondFactor(database, id) : []),
      ],
    };
  });
  return done;
}

async function chooseOwner(database: Database, email: string | null) {
  const listPresentMembers = (condition: SQL) =>
    database.drizzle
      .select()
      .from(members)
      .where(and(condition, isNull(members.removedAt)))
      .orderBy(asc(members.email));
  const owners = await listPresentMembers(eq(members.role, 'owner'));
  const list = owners.map((owner) => owner.email).join(', ');
  if (email === null) {
    const [only] = owners;
    if (only === undefined) throw new NoSuchOwner('There is no owner.');
    if (owners.length === 1) return only;
    throw new NoSuchOwner(`There are ${owners.length} owners; name one of them: ${list}.`);
  }
  const [found] = await listPresentMembers(eq(members.email, parseEmail(email) ?? email));
  if (found?.role === 'owner') return found;
  const why = found === undefined ? 'No member has this e-mail address' : `${found.email} is ${found.role}, not owner`;
  throw new NoSuchOwner(`${why}. Owners: ${list}.`);
}
