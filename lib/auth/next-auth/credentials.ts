import type { AuthOptions } from 'next-auth';
import { authenticateMember, type PasswordOutcome } from '@/lib/auth/authenticate-member';
import type { AuthAttempt, InvitationOutcome } from '@/lib/auth/next-auth/attempt';
import { CODE_MISSING, CODE_WRONG, INVITATION_GONE } from '@/lib/contract/sign-in-refusals';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField } from '@/lib/http/input';

type Refused = Exclude<PasswordOutcome | InvitationOutcome, { kind: 'member' }>;

/** Converts a refusal to next-auth's `error` parameter, and to the error for programs. */
function convertRefusal(outcome: Refused): { error: string; rejection: ApiError } {
  const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="sluice"' } };
  switch (outcome.kind) {
    case 'locked':
      return {
        error: `locked:${outcome.seconds}`,
        rejection: new ApiError('rate_limit_exceeded', 'Too many failed sign-ins.', {
          headers: { 'Retry-After': String(outcome.seconds) },
        }),
      };
    case 'code':
      return outcome.code === 'missing'
        ? {
            error: CODE_MISSING,
            rejection: new ApiError('unauthorized', 'A code of the second factor is needed, as `code`.', challenge),
          }
        : {
            error: CODE_WRONG,
            rejection: new ApiError('unauthorized', 'The code is wrong, or was used before.', challenge),
          };
    case 'gone':
      return {
        error: INVITATION_GONE,
        rejection: new ApiError('not_found', 'The invitation was used or replaced, or it has expired.'),
      };
    case 'weak':
      return {
        error: 'CredentialsSignin',
        rejection: createInvalidField('password', outcome.fault),
      };
    case 'wrong':
      return {
        error: 'CredentialsSignin',
        rejection: new ApiError('unauthorized', 'Wrong e-mail or password.', challenge),
      };
  }
}

const readText = (value: unknown) => (typeof value === 'string' ? value : '');
/** Reads a code. An empty one counts as absent, because a form sends its empty fields. */
const readCode = (value: unknown) => readText(value).trim() || undefined;

/**
 * Builds the two providers with a password: an account that has one, and an invitation that sets one.
 * @param keeping records the fault of a callback, which next-auth would turn into a refusal
 */
export function buildPasswordProviders(
  attempt: AuthAttempt,
  keeping: <T>(work: () => Promise<T>) => Promise<T>,
): AuthOptions['providers'] {
  const acceptOutcome = (outcome: PasswordOutcome | InvitationOutcome) => {
    if (outcome.kind === 'member') {
      attempt.member = outcome.member;
      return { id: outcome.member.id, email: outcome.member.email };
    }
    const { error, rejection } = convertRefusal(outcome);
    attempt.rejection = rejection;
    if (error === 'CredentialsSignin') return null;
    throw new Error(error);
  };
  const readSecrets = (fields: Given) => ({ password: readText(fields?.password), code: readCode(fields?.code) });
  return [
    buildPasswordProvider(
      'credentials',
      'E-mail and password',
      { email: { label: 'E-mail', type: 'email' } },
      async (fields) => {
        const credentials = { email: readText(fields?.email), ...readSecrets(fields) };
        return acceptOutcome(await keeping(() => authenticateMember(attempt.services, credentials, attempt)));
      },
    ),
    buildPasswordProvider('invitation', 'Invitation', { token: { label: 'Token', type: 'text' } }, async (fields) => {
      const { address, deviceCookie } = attempt;
      const invitation = { token: readText(fields?.token), ...readSecrets(fields), address, deviceCookie };
      return acceptOutcome(await keeping(() => attempt.acceptInvitation(invitation)));
    }),
  ];
}

type Given = Readonly<Record<string, unknown>> | undefined;
type Field = { label: string; type: string };

/**
 * Builds a provider that asks for a password and, if there is one, a code of the second factor. @param own its further
 * fields
 */
function buildPasswordProvider(
  id: string,
  name: string,
  own: Readonly<Record<string, Field>>,
  authorize: (fields: Given) => Promise<{ id: string; email: string } | null>,
): AuthOptions['providers'][number] {
  const credentials = {
    ...own,
    password: { label: 'Password', type: 'password' },
    code: { label: 'Code', type: 'text' },
  };
  return { id, name, type: 'credentials', credentials, authorize };
}
