import { changeMember } from '@/lib/admin/members/update';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { changeOwnPassword as contract } from '@/lib/contract/session';
import { ApiError } from '@/lib/http/api-error';
import { invalidField } from '@/lib/http/input';
import { implement } from '@/lib/operation/operation';

export const changeOwnPassword = implement(contract, async (context, { body }) => {
  const { actor, services, address, facts } = context;
  if (!actor.id.startsWith('member:')) throw new ApiError('forbidden', 'Only a signed-in member has a password.');
  // Failures count per session: an attack on the account does not lock its member out of a new password.
  const sessionId = (await facts.session())?.sessionId ?? null;
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
