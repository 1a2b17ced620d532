import { and, eq, isNull } from 'drizzle-orm';
import { members, providerAccounts } from '@/drizzle/schema';
import { change, Overtaken } from '@/lib/admin/change';
import { bind, follow, join, type ProviderSignIn, refuse } from '@/lib/admin/members/provider-changes';
import { isLastOwner, type MemberRow } from '@/lib/admin/members/row';
import { SYSTEM } from '@/lib/auth/actor';
import type { ProviderOutcome } from '@/lib/auth/next-auth/attempt';
import type { ProviderAccount, ProviderId } from '@/lib/auth/next-auth/providers';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { parseEmail } from '@/lib/contract/fields/text';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';

/**
 * Relation of a provider account and its address to members.
 * `bound`: the account has a member. `unbound`: a member with the address has no account of this provider. `taken`:
 * that member has another account of the provider.
 */
type Standing = { kind: 'unknown' } | KnownStanding;
interface KnownStanding {
  kind: 'bound' | 'unbound' | 'taken';
  member: MemberRow;
}

/**
 * Finds the member of a provider account and decides the sign-in.
 * The first sign-in binds the account by a verified e-mail address. Later only issuer and subject count (OpenID Connect
 * Core 1.0, section 5.7). A member who changes address therefore stays the same member, and the next holder of the old
 * address gets no access.
 *
 * A claim that gives roles decides at every sign-in. It adds persons as members, replaces the role of a member, and
 * refuses access without a role. Only the last owner keeps role and access in any case. Every change, and every refusal
 * of a member, leaves an audit record.
 *
 * @throws DatabaseUnavailable
 * @throws ApiError conflict if concurrent changes of the same data win every attempt
 */
export async function signInWithProvider(
  context: Context,
  provider: ProviderId,
  account: ProviderAccount,
): Promise<ProviderOutcome> {
  const { database } = context.services;
  const email = account.emailVerified && account.email !== undefined ? parseEmail(account.email) : null;
  const signIn = { context, provider, account };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const standing = await read(database, account, email);
    const requireUnchanged = async () => {
      const now = await read(database, account, email);
      const [seen, present] = [findStandingMember(standing), findStandingMember(now)];
      if (now.kind !== standing.kind || present?.id !== seen?.id || present?.role !== seen?.role) throw new Overtaken();
    };
    try {
      return standing.kind === 'unknown'
        ? await admitUninvited(signIn, email, requireUnchanged)
        : await admitMember(signIn, standing, requireUnchanged);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
  throw new ApiError('conflict', 'Concurrent changes of this member conflicted.');
}

function findStandingMember(standing: Standing): MemberRow | null {
  return standing.kind === 'unknown' ? null : standing.member;
}

/**
 * Adds a person who was not invited, if a claim gives a role. Refuses the sign-in otherwise.
 * @param email the verified address in canonical form
 * @param requireUnchanged throws `Overtaken` if the standing has changed
 */
async function admitUninvited(
  signIn: ProviderSignIn,
  email: string | null,
  requireUnchanged: () => Promise<void>,
): Promise<ProviderOutcome> {
  const { claimed } = signIn.account;
  const createRefusal = (refusal: 'EmailNotVerified' | 'NotAMember' | 'NoRole') =>
    ({ kind: 'refused', refusal, memberId: null }) as const;
  if (email === null) return createRefusal('EmailNotVerified');
  if (claimed === null) return createRefusal('NotAMember');
  const { role } = claimed;
  if (role === null) return createRefusal('NoRole');
  const member = await change({ ...signIn.context, actor: SYSTEM }, async (revision) => {
    await requireUnchanged();
    return join(signIn, email, role, revision);
  });
  return { kind: 'member', member };
}

async function admitMember(
  signIn: ProviderSignIn,
  { kind, member }: KnownStanding,
  requireUnchanged: () => Promise<void>,
): Promise<ProviderOutcome> {
  const { context, account } = signIn;
  const { database, logger } = context.services;
  const role = await computeRoleAfterSignIn(database, account, member);
  if (kind === 'taken' || role === null) {
    const refusal = kind === 'taken' ? 'AnotherAccount' : 'NoRole';
    await change(context, async () => {
      await requireUnchanged();
      return refuse(signIn, member.id, refusal, kind === 'bound');
    });
    return { kind: 'refused', refusal, memberId: member.id };
  }
  if (kind === 'unbound' || role !== member.role) {
    // The provider decides the role, so the member is not the actor of that change.
    const actor = role === member.role ? { id: `member:${member.id}`, name: member.email, role: member.role } : SYSTEM;
    await change({ ...context, actor }, async (revision) => {
      await requireUnchanged();
      if ((await computeRoleAfterSignIn(database, account, member)) !== role) throw new Overtaken();
      const changes = [
        ...(role === member.role ? [] : [follow(signIn, member, role, revision)]),
        ...(kind === 'unbound' ? [bind(signIn, member.id)] : []),
      ];
      const audit = changes.flatMap((part) => part.audit);
      return { audit, statements: changes.flatMap((part) => part.statements) };
    });
  }
  if (account.claimed !== null && account.claimed.role !== role)
    logger.warn(
      { member: member.id, ...account.claimed },
      'the last owner keeps the role that the claim does not give',
    );
  return { kind: 'member', member };
}

/** Determines the role after the sign-in: that of the claim, if claims give roles. Null if the claim gives none. */
async function computeRoleAfterSignIn(
  database: Database,
  { claimed }: ProviderAccount,
  member: MemberRow,
): Promise<MemberRole | null> {
  if (claimed === null || (claimed.role !== 'owner' && (await isLastOwner(database, member)))) return member.role;
  return claimed.role;
}

async function read(database: Database, account: ProviderAccount, email: string | null): Promise<Standing> {
  const { issuer, subject } = account;
  const [bound] = await database.drizzle
    .select({ member: members })
    .from(providerAccounts)
    .innerJoin(members, eq(members.id, providerAccounts.memberId))
    .where(and(eq(providerAccounts.issuer, issuer), eq(providerAccounts.subject, subject), isNull(members.removedAt)));
  if (bound !== undefined) return { kind: 'bound', member: bound.member };
  if (email === null) return { kind: 'unknown' };
  const [found] = await database.drizzle
    .select({ member: members, other: providerAccounts.subject })
    .from(members)
    .leftJoin(providerAccounts, and(eq(providerAccounts.memberId, members.id), eq(providerAccounts.issuer, issuer)))
    .where(and(eq(members.email, email), isNull(members.removedAt)));
  if (found === undefined) return { kind: 'unknown' };
  return { kind: found.other === null ? 'unbound' : 'taken', member: found.member };
}
