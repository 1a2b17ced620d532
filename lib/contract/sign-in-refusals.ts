/** Why a sign-in was refused, as `error` in the address of the sign-in page. `docs/sign-in.md` says what each means. */
export const SIGN_IN_REFUSALS = [
  'NotAMember',
  'EmailNotVerified',
  'NoRole',
  'AnotherAccount',
  'ProviderRefused',
  'ProviderDown',
  'ProviderMisconfigured',
  'ClientRefused',
  'ClocksDiffer',
  'SignInExpired',
  'TooManyRequests',
  'Unavailable',
] as const;
export type SignInRefusal = (typeof SIGN_IN_REFUSALS)[number];

/** `error` after the right password: a code of the second factor is needed. */
export const CODE_MISSING = 'CodeMissing';
/** `error` after the right password: the code is wrong, or was used before. */
export const CODE_WRONG = 'CodeWrong';
/** `error`: an invitation was used or replaced, or has expired. */
export const INVITATION_GONE = 'InvitationGone';
