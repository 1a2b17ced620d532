import { and, eq, isNull } from 'drizzle-orm';
import { members, providerAccounts } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { MEMBER_TARGET, type MemberRow } from '@/lib/admin/members/row';
import type { ProviderOutcome } from '@/lib/auth/next-auth/options';
import type { ProviderAccount } from '@/lib/auth/provider-account';
import { logSignIn } from '@/lib/auth/sign-in-log';
import { canonicalEmail } from '@/lib/contract/fields/email';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';

/** What the database says of a provider account and its address. */
type Standing =
  | { kind: 'unknown' }
  | { kind: 'bound'; member: MemberRow }
  /** A member has this address and no account of this provider yet. */
  | { kind: 'unbound'; member: MemberRow }
  /** A member has this address and another account of this provider. */
  | { kind: 'taken'; member: MemberRow };

/** The standing has changed between reading and writing. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

const MAX_ATTEMPTS = 5;

/**
 * The member whom a provider account belongs to. It is bound to its member at the first sign-in, by a verified e-mail
 * address; from then on issuer and subject decide and no address does (OpenID Connect Core 1.0, section 5.7). So a
 * member who changes address stays the same member, and the next holder of a member's old address is not let in.
 * A binding, and the refusal of a second account, each leave an audit record.
 *
 * @throws DatabaseUnavailable
 * @throws ApiError conflict when others kept changing the same things
 */
export async function signInWithProvider(
  context: Context,
  method: 'github' | 'oidc',
  account: ProviderAccount,
): Promise<ProviderOutcome> {
  const { database } = context.services;
  const email = account.emailVerified && account.email !== undefined ? canonicalEmail(account.email) : null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const standing = await read(database, account, email);
    if (standing.kind === 'bound') return { kind: 'member', member: standing.member };
    if (standing.kind === 'unknown')
      return { kind: 'refused', refusal: email === null ? 'EmailNotVerified' : 'NotAMember', memberId: null };
    const { kind, member } = standing;
    const unchanged = async () => {
      const again = await read(database, account, email);
      if (again.kind !== kind || again.member.id !== member.id) throw new Overtaken();
    };
    try {
      if (kind === 'unbound') {
        await bindAccount(context, method, account, member, unchanged);
        return { kind: 'member', member };
      }
      await refuse(context, method, account, member, unchanged);
      return { kind: 'refused', refusal: 'AnotherAccount', memberId: member.id };
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
  throw new ApiError('conflict', 'Others were changing the same member at the same time.');
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

/**
 * Binds a provider account to a member at the first sign-in, with its audit record.
 * @param unchanged throws when the rows read before were changed meanwhile
 */
function bindAccount(
  context: Context,
  method: 'github' | 'oidc',
  { issuer, subject }: ProviderAccount,
  member: MemberRow,
  unchanged: () => Promise<void>,
): Promise<void> {
  const { database } = context.services;
  const actor = { id: `member:${member.id}`, name: member.email, role: member.role };
  return change({ ...context, actor }, async () => {
    await unchanged();
    const row = { issuer, subject, memberId: member.id, boundAt: context.now };
    return {
      audit: {
        action: 'member.bind',
        targetType: MEMBER_TARGET,
        target: member.id,
        after: { provider: method, issuer, subject },
      },
      statements: [database.drizzle.insert(providerAccounts).values(row)],
      result: undefined,
    };
  });
}

/** @param unchanged throws when what was read is no longer so */
function refuse(
  context: Context,
  method: 'github' | 'oidc',
  { issuer, subject }: ProviderAccount,
  member: MemberRow,
  unchanged: () => Promise<void>,
): Promise<void> {
  const { database } = context.services;
  const attempt = {
    memberId: member.id,
    outcome: 'failed' as const,
    at: context.now,
    address: context.address,
    method,
  };
  return change(context, async () => {
    await unchanged();
    return {
      audit: {
        action: 'member.refuse_sign_in',
        targetType: MEMBER_TARGET,
        target: member.id,
        after: { provider: method, issuer, subject },
        reason: 'Another account of this provider is bound to the member with this e-mail address.',
      },
      statements: logSignIn(database, attempt),
      result: undefined,
    };
  });
}
