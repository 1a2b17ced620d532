import { eq } from 'drizzle-orm';
import { members } from '@/drizzle/schema';
import { change, Overtaken } from '@/lib/admin/change';
import { endInvitation } from '@/lib/admin/members/new-invitation';
import { openInvitation } from '@/lib/admin/members/open-invitation';
import { readPasswordUse } from '@/lib/admin/members/password-use';
import { buildMemberRecord } from '@/lib/admin/members/row';
import { readDeviceCookie } from '@/lib/auth/device-cookie';
import type { InvitationOutcome, UsedInvitation } from '@/lib/auth/next-auth/attempt';
import { hashNewPassword } from '@/lib/auth/password';
import { findPasswordFault } from '@/lib/auth/password-strength';
import { askSecondFactor, findSecondFactor } from '@/lib/auth/second-factor/ask-second-factor';
import { deleteSessions } from '@/lib/auth/session';
import { logSignIn } from '@/lib/auth/sign-in-log';
import { beginSignIn, clearFailedSignIns, recordFailedSignIn, type SignInPlace } from '@/lib/auth/sign-in-throttle';
import type { MemberId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';

/**
 * Sets the password of the member who holds an invitation, and uses the invitation up. Ends the member's sessions.
 * If several requests use one link, even in different processes, exactly one succeeds. A member with a second factor
 * also needs its code, under the throttle of sign-ins, so a link alone does not open the account.
 *
 * @throws DatabaseUnavailable, StoreUnavailable
 * @throws ApiError conflict if concurrent changes win every attempt
 */
export async function acceptInvitation(context: Context, used: UsedInvitation): Promise<InvitationOutcome> {
  const { services, now } = context;
  const { database, authSecret } = services;
  const open = await openInvitation(database, used.token, now);
  if (open === null) return { kind: 'gone' };
  const { id, email, role } = open.member;
  const use = await readPasswordUse(database, { id, email });
  const fault = await findPasswordFault(used.password, use);
  if (fault !== null) return { kind: 'weak', fault };
  const device = readDeviceCookie(used.deviceCookie, email, { authSecret, now });
  const place = { address: used.address, knownBrowser: device === null ? null : `device:${device}` };
  const refused = await checkInvitationCode(context, { id, email }, used, place);
  if (refused !== null) return refused;
  const passwordHash = await hashNewPassword('password', used.password, use);
  const actor = { id: `member:${id}`, name: email, role };
  const accept = async (revision: number) => {
    const still = await openInvitation(database, used.token, now);
    if (still === null) throw new Overtaken();
    const changed = { ...still.member, passwordHash, revision };
    return {
      audit: {
        action: 'member.accept_invitation' as const,
        target: id,
        before: buildMemberRecord(still.member),
        after: buildMemberRecord(changed),
      },
      statements: [
        database.drizzle.update(members).set({ passwordHash, revision }).where(eq(members.id, id)),
        endInvitation(database, id),
        deleteSessions(database, id, null),
      ],
      result: changed,
    };
  };
  try {
    return { kind: 'member', member: await change({ ...context, actor }, accept) };
  } catch (error) {
    if (error instanceof Overtaken) return { kind: 'gone' };
    throw error;
  }
}

/** Checks the code of the second factor. Null if it is right, or if none is needed. */
async function checkInvitationCode(
  { services, now }: Context,
  { id, email }: { id: MemberId; email: string },
  { code, address }: UsedInvitation,
  place: SignInPlace,
): Promise<InvitationOutcome | null> {
  const { database } = services;
  if ((await findSecondFactor(database, id))?.confirmedAt == null) return null;
  if (code === undefined) return { kind: 'code', code: 'missing' };
  const seconds = await beginSignIn(services, email, place);
  if (seconds !== null) return { kind: 'locked', seconds };
  const factor = await askSecondFactor(services, id, code);
  if (factor.kind === 'passed') {
    await clearFailedSignIns(services, email, place);
    return null;
  }
  if (factor.kind === 'locked') return factor;
  const failed = { memberId: id, outcome: 'failed', at: now, address, method: 'code' } as const;
  await database.batch(logSignIn(database, failed));
  await recordFailedSignIn(services, place);
  return { kind: 'code', code: 'wrong' };
}
