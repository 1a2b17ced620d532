import { and, eq, isNull, or } from 'drizzle-orm';
import { z } from 'zod';
import { members, providerAccounts } from '@/drizzle/schema';
import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';
import { haveSameMembers } from '@/lib/admin/change-kind/record';
import { type Reversal, refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import {
  buildRemoval,
  buildRestoration,
  type DeletedWithMember,
  REMOVAL_KEPT_FOR,
  readDeletedWithMember,
} from '@/lib/admin/members/removal';
import { buildMemberRecord, requireAnotherOwner, requirePresentMember } from '@/lib/admin/members/row';
import { readSignInSettings } from '@/lib/admin/members/sign-in-settings';
import { writeSetting } from '@/lib/admin/setting';
import { SIGN_IN_SETTING } from '@/lib/auth/session';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { MemberIdSchema } from '@/lib/contract/fields/ids';
import { REMOVAL_KEPT_MINUTES } from '@/lib/contract/members';
import { SignInSettingsSchema } from '@/lib/contract/second-factor';
import type { Database } from '@/lib/db/database';

const Edited = z.object({ role: MemberRoleSchema, name: z.string().nullable() });

/** Undoes a change of a member's role or name. */
const EDIT: Reversal = {
  role: 'owner',
  async plan({ services: { database } }, record, revision) {
    const row = await requirePresentMember(database, { id: MemberIdSchema.parse(record.target) });
    refuseUnless(haveSameMembers(buildMemberRecord(row), record.after, Edited.keyof().options));
    const before = Edited.parse(record.before);
    if (before.role !== 'owner') await requireAnotherOwner(database, row);
    const restored =
      before.role === row.role ? `The name of ${row.email} was restored.` : `${row.email} is ${before.role} again.`;
    const edited = database.drizzle.update(members).set({ ...before, revision });
    return { statements: [edited.where(eq(members.id, row.id))], restored };
  },
};

const NOT_KEPT = `A removed member can be brought back for ${REMOVAL_KEPT_MINUTES} minutes. Invite them again.`;

/**
 * Undoes the removal of a member, or a change that added one: an invitation, or the undo of a removal.
 * A restored member keeps role, password, second factor, provider accounts and open invitation. Sessions stay ended.
 */
const PRESENCE: Reversal = {
  role: 'owner',
  obstacle: ({ at, before }, now) => (before === null || now < at + REMOVAL_KEPT_FOR ? null : NOT_KEPT),
  async plan(context, { target, before, after }, revision) {
    const { database } = context.services;
    const id = MemberIdSchema.parse(target);
    if (before === null) {
      const present = await requirePresentMember(database, { id });
      refuseUnless(haveSameMembers(buildMemberRecord(present), after, ['email', 'role', 'name', 'has_password']));
      const restored = `${present.email} is no longer a member.`;
      return { statements: await buildRemoval(context, present, revision), restored };
    }
    const [row] = await database.drizzle.select().from(members).where(eq(members.id, id));
    if (row === undefined) return refuse(NOT_KEPT);
    // A member who was restored and removed again is kept under the revision of the last removal.
    const deleted = await readDeletedWithMember(database, row.revision);
    if (deleted === null) return refuse(NOT_KEPT);
    refuseUnless(row.removedAt !== null);
    const same = and(eq(members.email, row.email), isNull(members.removedAt));
    if ((await database.drizzle.$count(members, same)) > 0) refuse('Another member has the e-mail address now.');
    if (await isBoundElsewhere(database, deleted)) refuse('Another member signs in with one of their accounts now.');
    return {
      statements: buildRestoration(context, id, deleted, row.revision, revision),
      restored: `${row.email} is a member again, as ${row.role}. They have to sign in again.`,
    };
  },
};

const SECOND_FACTOR_WORDS = { required: 'required of everyone', optional: 'optional' };

/** Undoes a change of the sign-in settings. */
const SIGN_IN: Reversal = {
  role: 'owner',
  async plan(context, { before, after }, revision) {
    const { database } = context.services;
    const members = SignInSettingsSchema.keyof().options;
    refuseUnless(haveSameMembers(await readSignInSettings(database), after, members));
    const restored = SignInSettingsSchema.parse(before);
    return {
      statements: [writeSetting(context, SIGN_IN_SETTING, restored, revision)],
      restored: `A second factor is ${SECOND_FACTOR_WORDS[restored.second_factor]} again.`,
    };
  },
};

async function isBoundElsewhere({ drizzle }: Database, { accounts }: DeletedWithMember): Promise<boolean> {
  if (accounts.length === 0) return false;
  const any = accounts.map(({ issuer, subject }) =>
    and(eq(providerAccounts.issuer, issuer), eq(providerAccounts.subject, subject)),
  );
  return (await drizzle.$count(providerAccounts, or(...any))) > 0;
}

const NO_CHANGE = 'It changed nothing that can be undone.';
const OLD_PASSWORD = 'The password before is not kept.';
const SIGNED_OUT = 'A session that was ended stays ended: sign in again.';
const SECOND_FACTOR = 'The second factor before is not kept: set it up again.';

export const MEMBER_CHANGES: ChangeKinds<'member' | 'sign_in'> = {
  'member.bootstrap': { reversal: 'The first owner stays.' },
  'member.invite': { thing: 'member', reversal: PRESENCE },
  'member.update': { thing: 'member', reversal: EDIT },
  'member.remove': { thing: 'member', reversal: PRESENCE },
  'member.password': { reversal: OLD_PASSWORD },
  'member.join': { reversal: 'Remove the member instead, and change their groups at the provider.' },
  'member.follow_claim': { reversal: 'The next sign-in would do it again: change the groups at the provider.' },
  'member.bind': { reversal: 'Unlink the account at the member instead.' },
  'member.unbind': { reversal: 'An account is linked again by its next sign-in.' },
  'member.refuse_sign_in': { reversal: NO_CHANGE },
  'member.create_invitation': { reversal: 'Create another invitation instead: only the newest one works.' },
  'member.accept_invitation': { reversal: 'An invitation works once.' },
  'member.reset_owner': { reversal: OLD_PASSWORD },
  'member.end_session': { reversal: SIGNED_OUT },
  'member.end_sessions': { reversal: SIGNED_OUT },
  'member.start_second_factor': { reversal: NO_CHANGE },
  'member.enable_second_factor': { reversal: 'Switch the second factor off instead.' },
  'member.disable_second_factor': { reversal: SECOND_FACTOR },
  'member.renew_recovery_codes': { reversal: 'The recovery codes before are not kept.' },
  'member.reset_second_factor': { reversal: SECOND_FACTOR },
  'sign_in.update': { thing: 'settings', reversal: SIGN_IN },
};
