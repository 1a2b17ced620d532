/** Labels of requests that no control judges: OAuth allows their acceptance, and a profile has a clause about it. */
export const PROFILE_TRIES = {
  audienceOfEndpoint: 'Redeem with an assertion for the token endpoint',
  listOfAudiences: 'Redeem with an assertion for a list that has the issuer',
  fiveSecondsAhead: 'Redeem with an assertion from 5 seconds ahead',
  issuedAhead: 'Redeem with an assertion issued 90 seconds ahead',
  validAhead: 'Redeem with an assertion valid from 90 seconds ahead',
  withoutRedirectUri: 'Push a request without a redirect URI',
} as const;
