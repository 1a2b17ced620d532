import type { Remedy } from '@/lib/oauth/controls/remedy';

/** Remedies for the controls of token exchange, by id. */
export const TOKEN_EXCHANGE_REMEDIES: Readonly<Record<string, Remedy>> = {
  'token-exchange-authentication': {
    change:
      'Authenticate the client of a token exchange as at every other grant; a subject token is no credential of it.',
  },
  'token-exchange-subject': {
    change:
      'Validate the subject token before anything in it is used: signature, issuer, expiry and revocation; answer invalid_request (RFC 8693 section 2.2.2).',
  },
  'token-exchange-type': {
    change:
      'Check that the token is of the type in subject_token_type; take ID and refresh tokens only under their own.',
  },
  'token-exchange-scope': {
    change: 'Give the new token no scope that the subject token lacks, and none that the client may not have.',
    in: { Keycloak: 'A client policy with downscope-assertion-grant-enforcer.' },
  },
};
