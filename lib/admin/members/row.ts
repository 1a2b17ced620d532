import { and, asc, eq, gt, inArray, isNotNull, isNull, ne } from 'drizzle-orm';
import { invitations, members, providerAccounts, secondFactors } from '@/drizzle/schema';
import { listConfiguredProviders } from '@/lib/auth/next-auth/providers';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { Member, MemberSelector } from '@/lib/contract/members';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { MemberId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

export type MemberRow = typeof members.$inferSelect;
type ProviderAccountRow = typeof providerAccounts.$inferSelect;

/** Converts a member to the form that the audit log stores. It shows only whether a password exists. */
export function buildMemberRecord(row: MemberRow) {
  const { id, email, name, role, passwordHash, createdAt, createdBy } = row;
  const origin = { created_at: formatTimestamp(createdAt), created_by: createdBy };
  return { id, email, name, role, has_password: passwordHash !== null, ...origin };
}

/** State of members that is not stored in their rows. */
interface Standing {
  accounts: readonly ProviderAccountRow[];
  /** Expiry of open invitations, by member. */
  invitations: ReadonlyMap<MemberId, Millis>;
  /** Members with a confirmed second factor. */
  secondFactors: ReadonlySet<MemberId>;
  /** True if a provider is configured. */
  hasProvider: boolean;
}

/** Reads the state of at most 500 members that is not stored in their rows. */
export async function readStanding(
  { services, now }: Pick<Context, 'services' | 'now'>,
  memberIds: readonly MemberId[],
): Promise<Standing> {
  const { database, config } = services;
  const { drizzle } = database;
  const open = and(inArray(invitations.memberId, [...memberIds]), gt(invitations.expiresAt, now));
  const confirmed = and(inArray(secondFactors.memberId, [...memberIds]), isNotNull(secondFactors.confirmedAt));
  const opened = await drizzle.select().from(invitations).where(open);
  const factors = await drizzle.select({ id: secondFactors.memberId }).from(secondFactors).where(confirmed);
  return {
    accounts: await readBoundAccounts(database, memberIds),
    invitations: new Map(opened.map(({ memberId, expiresAt }) => [memberId, expiresAt])),
    secondFactors: new Set(factors.map(({ id }) => id)),
    hasProvider: listConfiguredProviders(config).length > 0,
  };
}

export function buildMember(row: MemberRow, lastSignInAt: number | null, standing: Standing): Member {
  const accounts = standing.accounts.filter(({ memberId }) => memberId === row.id);
  return {
    ...buildMemberRecord(row),
    state: computeMemberState(row, accounts.length > 0, standing),
    second_factor: standing.secondFactors.has(row.id),
    invitation_expires_at: formatTimestampOrNull(standing.invitations.get(row.id) ?? null),
    last_sign_in_at: formatTimestampOrNull(lastSignInAt),
    provider_accounts: buildProviderAccounts(accounts),
  };
}

function computeMemberState({ id, passwordHash }: MemberRow, isBound: boolean, { hasProvider, invitations }: Standing) {
  if (passwordHash !== null || (isBound && hasProvider)) return 'active';
  return hasProvider || invitations.has(id) ? 'invited' : 'cannot_sign_in';
}

export function buildProviderAccounts(accounts: readonly ProviderAccountRow[]): Member['provider_accounts'] {
  return accounts.map(({ issuer, subject, boundAt }) => ({ issuer, subject, bound_at: formatTimestamp(boundAt) }));
}

/** Reads the provider accounts of at most 500 members, ordered by issuer. */
function readBoundAccounts({ drizzle }: Database, memberIds: readonly MemberId[]): Promise<ProviderAccountRow[]> {
  return drizzle
    .select()
    .from(providerAccounts)
    .where(inArray(providerAccounts.memberId, [...memberIds]))
    .orderBy(asc(providerAccounts.issuer));
}

/** Finds a member who was not removed. @throws ApiError not_found */
export async function requirePresentMember(database: Database, { id, email }: MemberSelector): Promise<MemberRow> {
  const condition = id === undefined ? eq(members.email, email ?? '') : eq(members.id, id);
  const present = and(condition, isNull(members.removedAt));
  const [row] = await database.drizzle.select().from(members).where(present);
  if (row === undefined) throw new ApiError('not_found', 'There is no such member.');
  return row;
}

/** Refuses to remove the last owner or to change their role. @throws ApiError conflict */
export async function requireAnotherOwner(database: Database, leaving: MemberRow): Promise<void> {
  if (await isLastOwner(database, leaving))
    throw new ApiError('conflict', 'The last owner can neither be removed nor get another role.');
}

/** Checks whether a member is the only owner. */
export async function isLastOwner(database: Database, { id, role }: MemberRow): Promise<boolean> {
  if (role !== 'owner') return false;
  const others = and(eq(members.role, 'owner'), isNull(members.removedAt), ne(members.id, id));
  return (await database.drizzle.$count(members, others)) === 0;
}
