import { requirePresentMember } from '@/lib/admin/members/row';
import { whoAmI as contract } from '@/lib/contract/session';
import { ApiError } from '@/lib/http/api-error';
import { hasTrustedPeer, isForwarded, readPeerAddress } from '@/lib/http/client-address';
import { implement } from '@/lib/operation/operation';
import packageJson from '@/package.json';

/** Describes the caller, a signed-in member or a token, and the addresses of its connection. */
export const whoAmI = implement(contract, async (context) => {
  const { id: actorId, name, role } = context.actor;
  if (role === 'gateway') throw new ApiError('forbidden', 'Your role does not allow this.');
  const { services, facts, address } = context;
  const { headers } = facts;
  const own = {
    version: packageJson.version,
    connection: {
      client_address: address,
      peer_address: readPeerAddress(headers, services.config)?.text ?? null,
      forwarded: isForwarded(headers, services.config),
      peer_trusted: hasTrustedPeer(headers, services.config),
    },
  };
  const [kind = '', id = ''] = actorId.split(':');
  if (kind === 'member') {
    const member = await requirePresentMember(services.database, { id });
    return { kind: 'member' as const, id, email: member.email, name: member.name, role, ...own };
  }
  return kind === 'token'
    ? { kind: 'token' as const, id, email: null, name, role, ...own }
    : { kind: 'bootstrap' as const, id: actorId, email: null, name, role, ...own };
});
