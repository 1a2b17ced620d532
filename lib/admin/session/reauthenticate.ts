import { requirePresentMember } from '@/lib/admin/members/row';
import { authenticateMember, type ProvenMember } from '@/lib/auth/authenticate-member';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField } from '@/lib/http/input';
import type { Context } from '@/lib/operation/context';
import type { Seconds } from '@/lib/units';

interface Proof {
  /** Name of the field that holds the password. */
  field: string;
  password: string;
  /** Code of the second factor. Undefined if none is needed. */
  code?: string;
}

/** Creates the error for too many wrong passwords or codes. */
export function createTooManyGuessesError(seconds: Seconds): ApiError {
  return new ApiError('rate_limit_exceeded', 'Too many wrong passwords or codes.', {
    headers: { 'Retry-After': String(seconds) },
  });
}

/**
 * Checks the password of the signed-in member again, and a code if one is given.
 * Failures count per session, so that an attack on the account does not lock its member out. A preview checks neither,
 * because it would allow guesses that are not counted.
 * @throws ApiError forbidden (a token), invalid_request at the wrong field, rate_limit_exceeded
 */
export async function reauthenticate(context: Context, { field, password, code }: Proof): Promise<ProvenMember> {
  const { actor, services, address, facts } = context;
  if (!actor.id.startsWith('member:')) throw new ApiError('forbidden', 'Only a signed-in member has a password.');
  if (context.preview !== undefined)
    return requirePresentMember(services.database, { id: actor.id.slice('member:'.length) });
  const sessionId = (await facts.session())?.sessionId ?? null;
  const credentials = { email: actor.name, password, code };
  const outcome = await authenticateMember(services, credentials, { address, sessionId });
  switch (outcome.kind) {
    case 'member':
      return outcome.member;
    case 'locked':
      throw createTooManyGuessesError(outcome.seconds);
    case 'wrong':
      throw createInvalidField(field, 'is not your password');
    case 'code':
      throw createInvalidField('code', 'is wrong, or was used before');
  }
}
