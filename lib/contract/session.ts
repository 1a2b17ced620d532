import { z } from 'zod';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { InstantSchema } from '@/lib/contract/fields/instant';
import { LONGEST_PASSWORD, PasswordInput } from '@/lib/contract/members';
import type { Contract } from '@/lib/contract/operation';

/**
 * Why a sign-in was refused, as `error` in the address of the sign-in page. `docs/sign-in.md` says what each means.
 */
export const SIGN_IN_REFUSALS = [
  'NotAMember',
  'EmailNotVerified',
  'AnotherAccount',
  'ProviderRefused',
  'ProviderDown',
  'ProviderMisconfigured',
  'SignInExpired',
  'TooManyRequests',
  'Unavailable',
] as const;

export type SignInRefusal = (typeof SIGN_IN_REFUSALS)[number];

/** How a person signs in. */
export const SignInMethodSchema = z.enum(['password', 'github', 'oidc']);

/** Failed sign-ins on an account. */
export const FailedSignInsSchema = z
  .object({
    since: InstantSchema.nullable().describe('The sign-in before the newest one; null when there was none.'),
    count: z.int().min(0).describe('Failed attempts since then. Counts up to 200.'),
    newest: z
      .array(
        z.object({
          id: z.int().describe('Grows with time.'),
          at: InstantSchema,
          address: z.string().nullable().describe('Null when it is not known.'),
          method: SignInMethodSchema,
        }),
      )
      .describe('The newest 20 of the last 90 days, newest first.'),
  })
  .meta({ id: 'FailedSignIns' });

export type FailedSignIns = z.infer<typeof FailedSignInsSchema>;

/** Who asks. */
export const SessionSchema = z
  .object({
    kind: z.enum(['member', 'token', 'bootstrap']),
    id: z.string().describe("The member's or the token's id; `bootstrap` for `SLUICE_ADMIN_TOKEN`."),
    email: z.string().nullable().describe('Null for tokens.'),
    name: z.string().nullable(),
    role: MemberRoleSchema,
  })
  .meta({ id: 'Session' });

/** A member's new password. */
export const PasswordChange = z
  .strictObject({ current_password: z.string().max(LONGEST_PASSWORD), new_password: PasswordInput })
  .meta({ id: 'PasswordChange' });

export const changeOwnPassword = {
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
  example: { body: { current_password: 'what it was', new_password: 'what it shall be' } },
} as const satisfies Contract;

export const listFailedSignIns = {
  id: 'listFailedSignIns',
  method: 'GET',
  path: '/v1/admin/session/failed-sign-ins',
  tag: 'Session',
  summary: 'List failed sign-ins on my account',
  description:
    'Wrong passwords, and sign-ins with a provider account that is not the one that is bound. Attempts that were told to wait are not among them.',
  access: 'viewer',
  response: { status: 200, description: 'The failed sign-ins.', schema: FailedSignInsSchema },
} as const satisfies Contract;

export const whoAmI = {
  id: 'whoAmI',
  method: 'GET',
  path: '/v1/admin/session',
  tag: 'Session',
  summary: 'Who am I',
  description: 'The member behind the session cookie, or the token that was sent.',
  access: 'viewer',
  response: { status: 200, description: 'Who asks.', schema: SessionSchema },
} as const satisfies Contract;
