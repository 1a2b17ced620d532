import { and, asc, eq, inArray, isNull, ne } from 'drizzle-orm';
import { members, providerAccounts } from '@/drizzle/schema';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { Member, MemberSelector } from '@/lib/contract/members';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { MemberId } from '@/lib/ids';

export type MemberRow = typeof members.$inferSelect;
type ProviderAccountRow = typeof providerAccounts.$inferSelect;

/** A member as the audit log keeps it: whether there is a password, never which. */
export function toMemberRecord(row: MemberRow): Omit<Member, 'last_sign_in_at' | 'provider_accounts'> {
  const { id, email, name, role, passwordHash, createdAt, createdBy } = row;
  const origin = { created_at: toInstant(createdAt), created_by: createdBy };
  return { id, email, name, role, has_password: passwordHash !== null, ...origin };
}

export function toMember(row: MemberRow, lastSignInAt: number | null, accounts: readonly ProviderAccountRow[]): Member {
  return {
    ...toMemberRecord(row),
    last_sign_in_at: toInstantOrNull(lastSignInAt),
    provider_accounts: toProviderAccounts(accounts.filter(({ memberId }) => memberId === row.id)),
  };
}

export function toProviderAccounts(accounts: readonly ProviderAccountRow[]): Member['provider_accounts'] {
  return accounts.map(({ issuer, subject, boundAt }) => ({ issuer, subject, bound_at: toInstant(boundAt) }));
}

/** The provider accounts that are bound to these members, at most 500 of them, in the order of their issuers. */
export function boundAccounts({ drizzle }: Database, memberIds: readonly MemberId[]): Promise<ProviderAccountRow[]> {
  return drizzle
    .select()
    .from(providerAccounts)
    .where(inArray(providerAccounts.memberId, [...memberIds]))
    .orderBy(asc(providerAccounts.issuer));
}

/** The present member that is meant. @throws ApiError not_found */
export async function presentMember(database: Database, { id, email }: MemberSelector): Promise<MemberRow> {
  const meant = id === undefined ? eq(members.email, email ?? '') : eq(members.id, id);
  const present = and(meant, isNull(members.removedAt));
  const [row] = await database.drizzle.select().from(members).where(present);
  if (row === undefined) throw new ApiError('not_found', 'There is no such member.');
  return row;
}

/** Refuses to take the last owner's role away. @throws ApiError conflict */
export async function requireAnotherOwner(database: Database, leaving: MemberRow): Promise<void> {
  if (leaving.role !== 'owner') return;
  const others = and(eq(members.role, 'owner'), isNull(members.removedAt), ne(members.id, leaving.id));
  if ((await database.drizzle.$count(members, others)) === 0)
    throw new ApiError('conflict', 'The last owner can neither be removed nor get another role.');
}
