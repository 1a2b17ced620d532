/** Why a sign-in was refused, as `error` in the address of the sign-in page. `docs/sign-in.md` says what each means. */
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
