import { presentMember } from '@/lib/admin/members/row';
import { SessionSchema } from '@/lib/contract/members';
import { ApiError } from '@/lib/http/api-error';
import { operation } from '@/lib/operation/operation';

/** Who asks: the signed-in member, or the token. */
export const whoAmI = operation({
  id: 'whoAmI',
  method: 'GET',
  path: '/v1/admin/session',
  tag: 'Session',
  summary: 'Who am I',
  description: 'The member behind the session cookie, or the token that was sent.',
  access: 'viewer',
  response: { status: 200, description: 'Who asks.', schema: SessionSchema },
  run: async (context) => {
    const { id: actorId, name, role } = context.actor;
    if (role === 'gateway') throw new ApiError('forbidden', 'Your role does not allow this.');
    const [kind = '', id = ''] = actorId.split(':');
    if (kind === 'member') {
      const member = await presentMember(context.services.database, { id });
      return { kind: 'member' as const, id, email: member.email, name: member.name, role };
    }
    return kind === 'token'
      ? { kind: 'token' as const, id, email: null, name, role }
      : { kind: 'bootstrap' as const, id: actorId, email: null, name, role };
  },
});
