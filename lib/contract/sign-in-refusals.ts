/** Reasons for a refused sign-in: `error` in the address of the sign-in page. `docs/sign-in.md` explains each. */
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

/** `error` after the right password if a code of the second factor is missing. */
export const CODE_MISSING = 'CodeMissing';
/** `error` after the right password if the code is wrong or was used before. */
export const CODE_WRONG = 'CodeWrong';
/** `error` if an invitation was used or replaced, or has expired. */
export const INVITATION_GONE = 'InvitationGone';
