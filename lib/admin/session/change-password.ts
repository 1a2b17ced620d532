import { changeMember } from '@/lib/admin/members/change-member';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { readSession } from '@/lib/auth/session';
import { PasswordChange } from '@/lib/contract/members';
import { ApiError } from '@/lib/http/api-error';
import { invalidField } from '@/lib/http/invalid-field';
import { operation } from '@/lib/operation/operation';

/** Changes the password of the signed-in member. */
export const changeOwnPassword = operation({
  id: 'changeOwnPassword',
  method: 'POST',
  path: '/v1/admin/session/password',
  tag: 'Session',
  summary: 'Change my password',
  description: 'Ends all other sessions of the member. Wrong current passwords count as failed sign-ins.',
  access: 'viewer',
  body: { schema: PasswordChange, required: true },
  response: { status: 204, description: 'The new password is in force.' },
  errors: ['conflict', 'rate_limit_exceeded'],
  run: async (context, { body }) => {
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
  },
});
