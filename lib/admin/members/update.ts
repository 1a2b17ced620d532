import { eq } from 'drizzle-orm';
import { members, providerAccounts } from '@/drizzle/schema';
import { change } from '@/lib/admin/change';
import { endInvitation } from '@/lib/admin/members/new-invitation';
import { readPasswordUse } from '@/lib/admin/members/password-use';
import {
  buildMember,
  buildMemberRecord,
  buildProviderAccounts,
  readStanding,
  requireAnotherOwner,
  requirePresentMember,
} from '@/lib/admin/members/row';
import { requireSamePassword } from '@/lib/admin/members/same-password';
import { readLastUse } from '@/lib/admin/stored-list';
import type { ProvenMember } from '@/lib/auth/authenticate-member';
import { hashNewPassword } from '@/lib/auth/password';
import { deleteSessions } from '@/lib/auth/session';
import {
  updateMember as byId,
  updateNamedMember as bySelector,
  type Member,
  type MemberPatch,
  type MemberSelector,
} from '@/lib/contract/members';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';

export const updateMember = implement(byId, (context, { params, body }) => changeMember(context, params, body));

export const updateNamedMember = implement(bySelector, (context, { body: { id, email, ...patch } }) =>
  changeMember(context, { id, email }, patch),
);

/**
 * Changes a member's role, name or password, or unbinds the member's provider accounts.
 * A new role applies from the member's next request on. A new password, or unbinding, ends all sessions of the member
 * except the current one.
 *
 * @param passwordField name of the password in the request
 * @param proven the member with the password that allows the change
 * @throws ApiError not_found, conflict (the last owner, or another password by now), invalid_request (a weak password)
 */
export async function changeMember(
  context: Context,
  selector: MemberSelector,
  patch: MemberPatch,
  passwordField = 'password',
  proven?: ProvenMember,
): Promise<Member> {
  const { database } = context.services;
  const hashPatchedPassword = async (password: string) => {
    const use = await readPasswordUse(database, await requirePresentMember(database, selector));
    return hashNewPassword(passwordField, password, use);
  };
  const passwordHash = patch.password === undefined ? undefined : await hashPatchedPassword(patch.password);
  const unbinds = patch.provider_accounts !== undefined;
  const endsSessions = passwordHash !== undefined || unbinds;
  const asking = endsSessions ? await context.facts.session() : null;
  return change(context, async (revision) => {
    const row = await requirePresentMember(database, selector);
    if (proven !== undefined) requireSamePassword(row, proven);
    const edited = {
      role: patch.role ?? row.role,
      name: patch.name === undefined ? row.name : patch.name,
      passwordHash: passwordHash ?? row.passwordHash,
      revision,
    };
    const changed = { ...row, ...edited };
    if (edited.role !== 'owner') await requireAnotherOwner(database, row);
    const standing = await readStanding(context, [row.id]);
    const bound = standing.accounts;
    return {
      audit: {
        action: passwordHash !== undefined ? 'member.password' : unbinds ? 'member.unbind' : 'member.update',
        target: row.id,
        before: { ...buildMemberRecord(row), ...(unbinds ? { provider_accounts: buildProviderAccounts(bound) } : {}) },
        after: { ...buildMemberRecord(changed), ...(unbinds ? { provider_accounts: [] } : {}) },
      },
      statements: [
        database.drizzle.update(members).set(edited).where(eq(members.id, row.id)),
        ...(unbinds ? [database.drizzle.delete(providerAccounts).where(eq(providerAccounts.memberId, row.id))] : []),
        ...(passwordHash === undefined ? [] : [endInvitation(database, row.id)]),
        ...(endsSessions ? [deleteSessions(database, row.id, asking?.id === row.id ? asking.sessionId : null)] : []),
      ],
      result: buildMember(changed, await readLastUse(database, 'member', row.id), {
        ...standing,
        accounts: unbinds ? [] : bound,
        invitations: passwordHash === undefined ? standing.invitations : new Map(),
      }),
    };
  });
}
