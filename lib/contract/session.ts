import { z } from 'zod';
import { InstantSchema } from '@/lib/contract/fields/instant';

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
