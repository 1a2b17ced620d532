import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { invitations, keptMembers, members, providerAccounts, recoveryCodes, secondFactors } from '@/drizzle/schema';
import { endInvitation } from '@/lib/admin/members/new-invitation';
import { type MemberRow, requireAnotherOwner } from '@/lib/admin/members/row';
import { dropSecondFactor } from '@/lib/auth/second-factor/rows';
import { deleteSessions } from '@/lib/auth/session';
import { REMOVAL_KEPT_MINUTES } from '@/lib/contract/members';
import type { Database, Statement } from '@/lib/db/database';
import type { MemberId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import { MINUTE, type Millis } from '@/lib/units';

export const REMOVAL_KEPT_FOR: Millis = REMOVAL_KEPT_MINUTES * MINUTE;

/** Data that a removal deletes, except sessions. It holds only hashes and ciphertext, which cannot sign in a member. */
const Deleted = z.object({
  passwordHash: z.string().nullable(),
  accounts: z.array(z.object({ issuer: z.string(), subject: z.string(), boundAt: z.number() })),
  factor: z
    .object({ secret: z.string(), createdAt: z.number(), confirmedAt: z.number().nullable(), lastStep: z.number() })
    .nullable(),
  recoveryCodes: z.array(z.string()),
  invitation: z
    .object({ tokenHash: z.string(), createdAt: z.number(), createdBy: z.string(), expiresAt: z.number() })
    .nullable(),
});
export type DeletedWithMember = z.infer<typeof Deleted>;

async function collectDeletedData({ drizzle }: Database, { id, passwordHash }: MemberRow): Promise<DeletedWithMember> {
  const [factor = null] = await drizzle.select().from(secondFactors).where(eq(secondFactors.memberId, id));
  const [invitation = null] = await drizzle.select().from(invitations).where(eq(invitations.memberId, id));
  const codes = await drizzle.select().from(recoveryCodes).where(eq(recoveryCodes.memberId, id));
  const accounts = await drizzle.select().from(providerAccounts).where(eq(providerAccounts.memberId, id));
  return Deleted.parse({ passwordHash, accounts, factor, recoveryCodes: codes.map((row) => row.codeHash), invitation });
}

/**
 * Builds the statements that remove a member and end the member's sessions, from the next request on.
 * Keeps the deleted data for 15 minutes, for an undo.
 * @throws ApiError conflict for the last owner
 */
export async function buildRemoval({ services, now }: Context, row: MemberRow, revision: number): Promise<Statement[]> {
  const { database } = services;
  const { drizzle } = database;
  await requireAnotherOwner(database, row);
  const value = JSON.stringify(await collectDeletedData(database, row));
  return [
    drizzle.insert(keptMembers).values({ revision, value, until: now + REMOVAL_KEPT_FOR }),
    drizzle.update(members).set({ removedAt: now, passwordHash: null, revision }).where(eq(members.id, row.id)),
    drizzle.delete(providerAccounts).where(eq(providerAccounts.memberId, row.id)),
    endInvitation(database, row.id),
    ...dropSecondFactor(database, row.id),
    deleteSessions(database, row.id, null),
  ];
}

export function parseKeptMember(json: string): DeletedWithMember {
  return Deleted.parse(JSON.parse(json));
}

/** Reads the data that a removal deleted. Null after it expired. @param revision number of the removal */
export async function readDeletedWithMember(
  { drizzle }: Database,
  revision: number,
): Promise<DeletedWithMember | null> {
  const [row] = await drizzle.select().from(keptMembers).where(eq(keptMembers.revision, revision));
  return row === undefined ? null : parseKeptMember(row.value);
}

/** Builds the statements that restore a removed member, except sessions. @param removedBy number of the removal */
export function buildRestoration(
  { services, now }: Context,
  memberId: MemberId,
  { passwordHash, accounts, factor, recoveryCodes: codes, invitation }: DeletedWithMember,
  removedBy: number,
  revision: number,
): Statement[] {
  const { drizzle } = services.database;
  const back = drizzle.update(members).set({ removedAt: null, passwordHash, revision });
  return [
    back.where(eq(members.id, memberId)),
    ...accounts.map((account) => drizzle.insert(providerAccounts).values({ ...account, memberId })),
    ...(factor === null ? [] : [drizzle.insert(secondFactors).values({ ...factor, memberId })]),
    ...codes.map((codeHash) => drizzle.insert(recoveryCodes).values({ memberId, codeHash })),
    ...(invitation === null || invitation.expiresAt <= now
      ? []
      : [drizzle.insert(invitations).values({ ...invitation, memberId })]),
    drizzle.delete(keptMembers).where(eq(keptMembers.revision, removedBy)),
  ];
}
