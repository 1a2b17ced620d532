import { z } from 'zod';
import { idInPath, MemberIdInput } from '@/lib/contract/fields/ids';
import { LONGEST_PASSWORD, PasswordInput, SHORTEST_ONLY_FACTOR } from '@/lib/contract/fields/password';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { count, created, declareNoContent, input, json, object, ok, resource } from '@/lib/contract/resource';

const LONGEST_CODE = 64;
const tag = 'Second factor';

const password = z.string().max(LONGEST_PASSWORD).describe("The member's password.");
const code = z
  .string()
  .max(LONGEST_CODE)
  .describe('Six digits from the authenticator app, or a recovery code. Each works once.');
const proof = { password, code };

const SecondFactorSchema = object('SecondFactor', {
  enabled: z.boolean(),
  enabled_at: TimestampSchema.nullable(),
  recovery_codes_left: count,
  required: z.boolean().describe('Whether an owner requires it of all members who sign in with a password.'),
  available: z.boolean().describe('False for tokens, and for members without a password: their provider asks for it.'),
});
export type SecondFactor = z.infer<typeof SecondFactorSchema>;

const RecoveryCodesSchema = object('RecoveryCodes', {
  recovery_codes: z
    .array(z.string())
    .describe('Ten codes, each of which works once in place of a code of the app. Shown only once and stored hashed.'),
});

const own = resource('/v1/admin/session/second-factor', { tag });

export const getSecondFactor = own.get('getSecondFactor', 'viewer', {
  command: 'account second-factor',
  duringSetUp: true,
  summary: 'My second factor',
  response: ok('Its state.', SecondFactorSchema),
});

export const startSecondFactor = own.post('startSecondFactor', 'viewer', {
  command: 'account start-second-factor',
  reason: 'query',
  duringSetUp: true,
  summary: 'Start to set up my second factor',
  description:
    'Answers a new secret for an authenticator app (TOTP, RFC 6238). Nothing is asked for at sign-in until a code has confirmed it.',
  body: json(input('SecondFactorStart', { password })),
  example: { body: { password: 'what it is' } },
  response: created(
    'The secret.',
    object('SecondFactorSecret', {
      secret: z.string().describe('In base32, for typing.'),
      url: z.string().describe('The same as an `otpauth:` URI, for a QR code.'),
    }),
  ),
  errors: ['conflict', 'rate_limit_exceeded'],
});

export const confirmSecondFactor = own.put('confirmSecondFactor', 'viewer', {
  command: 'account confirm-second-factor',
  reason: 'query',
  duringSetUp: true,
  summary: 'Confirm my second factor',
  description: "From now on a sign-in with the password needs a code. The member's other sessions end.",
  body: json(input('SecondFactorConfirmation', { code: z.string().max(LONGEST_CODE).describe('From the app.') })),
  example: { body: { code: '123456' } },
  response: ok('The recovery codes.', RecoveryCodesSchema),
  errors: ['conflict'],
});

export const turnOffSecondFactor = own.delete('turnOffSecondFactor', 'viewer', {
  command: 'account turn-off-second-factor',
  reason: 'query',
  summary: 'Turn off my second factor',
  description:
    'If it is required, the session has to set up a new one before anything else. A new password ends the other sessions.',
  body: json(
    input('SecondFactorRemoval', {
      ...proof,
      new_password: PasswordInput.optional().describe(
        `Replaces the password. Needed if \`password\` has fewer than ${SHORTEST_ONLY_FACTOR} characters and no second factor is required.`,
      ),
    }),
  ),
  example: { body: { password: 'what it is', code: '123456' } },
  response: declareNoContent('It is off.'),
  errors: ['conflict', 'rate_limit_exceeded'],
});

export const renewRecoveryCodes = resource('/v1/admin/session/recovery-codes', { tag }).post(
  'renewRecoveryCodes',
  'viewer',
  {
    command: 'account renew-recovery-codes',
    reason: 'query',
    summary: 'Make new recovery codes',
    description: 'The earlier ones no longer work.',
    body: json(input('RecoveryCodesRenewal', proof)),
    example: { body: { password: 'what it is', code: '123456' } },
    response: created('The recovery codes.', RecoveryCodesSchema),
    errors: ['conflict', 'rate_limit_exceeded'],
  },
);

export const resetSecondFactor = resource('/v1/admin/members/{id}/second-factor', {
  tag,
  ...idInPath(MemberIdInput),
}).delete('resetSecondFactor', 'owner', {
  command: 'members reset-second-factor',
  reason: 'query',
  summary: 'Reset the second factor of a member',
  description:
    'For a member who has lost both app and recovery codes: the password is enough until a new one is set up. Their sessions end. Members turn off their own with password and code instead.',
  response: declareNoContent('The second factor is removed.'),
  errors: ['conflict'],
});

export const SignInSettingsSchema = object('SignInSettings', {
  second_factor: z
    .enum(['optional', 'required'])
    .describe(
      '`required`: a session that began with a password can do nothing before a second factor is set up. Sessions of a provider and tokens are not affected.',
    ),
});
export type SignInSettings = z.infer<typeof SignInSettingsSchema>;

const settings = resource('/v1/admin/sign-in', { tag: 'Members' });

export const getSignInSettings = settings.get('getSignInSettings', 'viewer', {
  command: 'sign-in get',
  summary: 'Read the sign-in settings',
  response: ok('The settings.', SignInSettingsSchema),
});

export const putSignInSettings = settings.put('putSignInSettings', 'owner', {
  command: 'sign-in set',
  reason: 'query',
  summary: 'Change the sign-in settings',
  description: 'Applies to the next request of every session.',
  body: json(input('SignInSettingsInput', SignInSettingsSchema.shape)),
  example: { body: { second_factor: 'required' } },
  response: ok('The settings.', SignInSettingsSchema),
});
