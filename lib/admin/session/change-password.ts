import { changeMember } from '@/lib/admin/members/change-member';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { readSession } from '@/lib/auth/session';
import { changeOwnPassword as contract } from '@/lib/contract/session';
import { ApiError } from '@/lib/http/api-error';
import { invalidField } from '@/lib/http/invalid-field';
import { implement } from '@/lib/operation/operation';

/** Changes the password of the signed-in member. */
export const changeOwnPassword = implement(contract, async (context, { body }) => {
  const { actor, services, address, request } = context;
  if (!actor.id.startsWith('member:')) throw new ApiError('forbidden', 'Only a signed-in member has a password.');
  // A session has failures of its own: nobody can keep its member from a new password.
  const sessionId = (await readSession(request.headers.get('cookie'), services))?.sessionId ?? null;
  const given = { email: actor.name, password: body.current_password };
  const outcome = await authenticateMember(services, given, { address, sessionId });
  if (outcome.kind === 'locked') {
    throw new ApiError('rate_limit_exceeded', 'Too many wrong passwords.', {
      headers: { 'Retry-After': String(outcome.seconds) },
    });
  }
  if (outcome.kind === 'wrong') throw invalidField('current_password', 'is not your password');
  await changeMember(context, { id: outcome.member.id }, { password: body.new_password });
  return undefined;
});
