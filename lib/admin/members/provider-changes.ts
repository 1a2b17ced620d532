import { eq } from 'drizzle-orm';
import { members, providerAccounts } from '@/drizzle/schema';
import type { AuditEntry } from '@/lib/admin/change';
import { endInvitation } from '@/lib/admin/members/new-invitation';
import { buildMemberRecord, type MemberRow } from '@/lib/admin/members/row';
import { buildRowColumns, createRandomUuid } from '@/lib/admin/new-row';
import { SYSTEM } from '@/lib/auth/actor';
import type { ProviderAccount, ProviderId } from '@/lib/auth/next-auth/providers';
import { deleteSessions } from '@/lib/auth/session';
import { logSignIn } from '@/lib/auth/sign-in-log';
import type { MemberRole } from '@/lib/contract/fields/enumerations';
import { DisplayName } from '@/lib/contract/fields/text';
import type { Statement } from '@/lib/db/database';
import type { MemberId } from '@/lib/ids';
import type { Context } from '@/lib/operation/context';

/** A sign-in with a provider, before its decision. */
export interface ProviderSignIn {
  context: Context;
  provider: ProviderId;
  account: ProviderAccount;
}

/** Audit records and statements that one step adds to a change. */
interface Part {
  audit: AuditEntry[];
  statements: Statement[];
}

/** Most values of a claim in an audit record. */
const MOST_VALUES = 20;

/** Builds the part of an audit record that shows the claim. */
function buildClaimEvidence({ claimed }: ProviderAccount) {
  return claimed === null ? {} : { claim: claimed.claim, values: claimed.values.slice(0, MOST_VALUES) };
}

/** Adds a person as a member with the role of the claim, and binds the account. @param email canonical */
export function join(
  signIn: ProviderSignIn,
  email: string,
  role: MemberRole,
  revision: number,
): Part & { result: MemberRow } {
  const { context, account, provider } = signIn;
  const { database, randomBytes } = context.services;
  const name = DisplayName.safeParse(account.name).data ?? null;
  const row = { id: createRandomUuid(randomBytes), email, name, role, passwordHash: null, removedAt: null };
  const member: MemberRow = { ...row, ...buildRowColumns({ ...context, actor: SYSTEM }, revision) };
  const binding = bind(signIn, member.id);
  const after = { ...buildMemberRecord(member), provider, ...buildClaimEvidence(account) };
  return {
    audit: [{ action: 'member.join', target: member.id, after }, ...binding.audit],
    statements: [database.drizzle.insert(members).values(member), ...binding.statements],
    result: member,
  };
}

/** Changes the role of a member to that of the claim. */
export function follow(
  { context, provider, account }: ProviderSignIn,
  member: MemberRow,
  role: MemberRole,
  revision: number,
): Part {
  const after = { ...buildMemberRecord({ ...member, role }), provider, ...buildClaimEvidence(account) };
  const { drizzle } = context.services.database;
  return {
    audit: [{ action: 'member.follow_claim', target: member.id, before: buildMemberRecord(member), after }],
    statements: [drizzle.update(members).set({ role, revision }).where(eq(members.id, member.id))],
  };
}

/** Binds an account to its member at the first sign-in. */
export function bind({ context, provider, account }: ProviderSignIn, memberId: MemberId): Part {
  const { database } = context.services;
  const { issuer, subject } = account;
  return {
    audit: [{ action: 'member.bind', target: memberId, after: { provider, issuer, subject } }],
    statements: [
      database.drizzle.insert(providerAccounts).values({ issuer, subject, memberId, boundAt: context.now }),
      endInvitation(database, memberId),
    ],
  };
}

const REASONS = {
  AnotherAccount: 'Another account of this provider is bound to the member with this e-mail address.',
  NoRole: 'None of the values of the claim has a role.',
};

/** Records the refusal of a member's account. @param endsSessions whether to end the member's sessions */
export function refuse(
  { context, provider, account }: ProviderSignIn,
  memberId: MemberId,
  refusal: keyof typeof REASONS,
  endsSessions: boolean,
) {
  const { now: at, address } = context;
  const { database } = context.services;
  const { issuer, subject } = account;
  const why = refusal === 'NoRole' ? { refusal, ...buildClaimEvidence(account) } : {};
  return {
    audit: {
      action: 'member.refuse_sign_in' as const,
      target: memberId,
      after: { provider, issuer, subject, ...why },
      reason: REASONS[refusal],
    },
    statements: [
      ...logSignIn(database, { memberId, outcome: 'failed', at, address, method: provider }),
      ...(endsSessions ? [deleteSessions(database, memberId, null)] : []),
    ],
  };
}
