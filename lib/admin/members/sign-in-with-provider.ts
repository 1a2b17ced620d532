import { and, eq, isNull } from 'drizzle-orm';
import { members, providerAccounts } from '@/drizzle/schema';
import { change, Overtaken } from '@/lib/admin/change';
import { endInvitation } from '@/lib/admin/members/new-invitation';
import type { MemberRow } from '@/lib/admin/members/row';
import type { ProviderOutcome } from '@/lib/auth/next-auth/attempt';
import type { ProviderAccount, ProviderId } from '@/lib/auth/next-auth/providers';
import { logSignIn } from '@/lib/auth/sign-in-log';
import { canonicalEmail } from '@/lib/contract/fields/text';
import type { Database } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { MemberId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';

/**
 * What the database says of a provider account and its address: a member has this address and no account of this
 * provider yet (`unbound`), or another one (`taken`).
 */
type Standing = { kind: 'unknown' } | { kind: 'bound' | 'unbound' | 'taken'; member: MemberRow };

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
  method: ProviderId,
  account: ProviderAccount,
): Promise<ProviderOutcome> {
  const { database } = context.services;
  const email = account.emailVerified && account.email !== undefined ? canonicalEmail(account.email) : null;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const standing = await read(database, account, email);
    if (standing.kind === 'bound') return { kind: 'member', member: standing.member };
    if (standing.kind === 'unknown')
      return { kind: 'refused', refusal: email === null ? 'EmailNotVerified' : 'NotAMember', memberId: null };
    const { kind, member } = standing;
    const actor = { id: `member:${member.id}`, name: member.email, role: member.role };
    try {
      await change(kind === 'unbound' ? { ...context, actor } : context, async () => {
        const again = await read(database, account, email);
        if (again.kind !== kind || again.member.id !== member.id) throw new Overtaken();
        return (kind === 'unbound' ? bind : refuse)(context, method, account, member.id);
      });
      return kind === 'unbound'
        ? { kind: 'member', member }
        : { kind: 'refused', refusal: 'AnotherAccount', memberId: member.id };
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
  throw new ApiError('conflict', 'Concurrent changes of this member conflicted.');
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

/** Binds an account to its member, at the first sign-in. */
function bind(context: Context, provider: ProviderId, { issuer, subject }: ProviderAccount, memberId: MemberId) {
  const { database } = context.services;
  return {
    audit: { action: 'member.bind' as const, target: memberId, after: { provider, issuer, subject } },
    statements: [
      database.drizzle.insert(providerAccounts).values({ issuer, subject, memberId, boundAt: context.now }),
      endInvitation(database, memberId),
    ],
    result: undefined,
  };
}

/** Refuses another account of a provider that the member is bound to already. */
function refuse(context: Context, method: ProviderId, { issuer, subject }: ProviderAccount, memberId: MemberId) {
  const { now: at, address } = context;
  return {
    audit: {
      action: 'member.refuse_sign_in' as const,
      target: memberId,
      after: { provider: method, issuer, subject },
      reason: 'Another account of this provider is bound to the member with this e-mail address.',
    },
    statements: logSignIn(context.services.database, { memberId, outcome: 'failed', at, address, method }),
    result: undefined,
  };
}
