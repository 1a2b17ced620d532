import { presentMember } from '@/lib/admin/members/row';
import { authenticateMember, type ProvenMember } from '@/lib/auth/authenticate-member';
import { ApiError } from '@/lib/http/api-error';
import { invalidField } from '@/lib/http/input';
import type { Context } from '@/lib/operation/context';
import type { Seconds } from '@/lib/units';

interface Proof {
  /** The name of the field that holds the password. */
  field: string;
  password: string;
  /** A code of the second factor; undefined where none is asked for. */
  code?: string;
}

/** The refusal of a member who has tried too many passwords or codes. */
export function tooManyGuesses(seconds: Seconds): ApiError {
  return new ApiError('rate_limit_exceeded', 'Too many wrong passwords or codes.', {
    headers: { 'Retry-After': String(seconds) },
  });
}

/**
 * Asks the signed-in member for the password again, and for a code where one is given. Failures count per session: an
 * attack on the account does not lock its member out. A preview checks neither: it would be a way to guess that counts
 * nothing.
 * @throws ApiError forbidden (a token), invalid_request at the wrong field, rate_limit_exceeded
 */
export async function proveOneself(context: Context, { field, password, code }: Proof): Promise<ProvenMember> {
  const { actor, services, address, facts } = context;
  if (!actor.id.startsWith('member:')) throw new ApiError('forbidden', 'Only a signed-in member has a password.');
  if (context.preview !== undefined) return presentMember(services.database, { id: actor.id.slice('member:'.length) });
  const sessionId = (await facts.session())?.sessionId ?? null;
  const given = { email: actor.name, password, code };
  const outcome = await authenticateMember(services, given, { address, sessionId });
  switch (outcome.kind) {
    case 'member':
      return outcome.member;
    case 'locked':
      throw tooManyGuesses(outcome.seconds);
    case 'wrong':
      throw invalidField(field, 'is not your password');
    case 'code':
      throw invalidField('code', 'is wrong, or was used before');
  }
}
