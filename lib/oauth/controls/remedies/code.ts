import type { Remedy } from '@/lib/oauth/controls/remedies/remedy';

/** Remedies for the controls of the area code, by id. */
export const CODE_REMEDIES: Readonly<Record<string, Remedy>> = {
  'code-single-use': { change: 'Mark a code as used in the same transaction that issues its tokens.' },
  'code-reuse-revokes': {
    change: 'When a code is redeemed again, revoke its grant: the refresh token, and access tokens where you can.',
  },
  'code-race': { change: 'Redeem a code with one conditional write (delete and return, or update where unused).' },
  'code-client-binding': { change: 'Keep the client with the code and refuse it from any other.' },
  'code-redirect-binding': {
    change: 'Compare the redirect_uri of the token request with the one of the authorization request.',
  },
  'code-lifetime': {
    change: 'Let codes expire after a minute, ten at the most.',
    in: {
      Keycloak: 'Realm settings > Tokens > Client login timeout.',
      'oidc-provider': 'ttl.AuthorizationCode: 60.',
      'Spring Authorization Server': 'TokenSettings.builder().authorizationCodeTimeToLive(Duration.ofMinutes(1)).',
      'Ory Hydra': 'ttl.auth_code: 1m.',
      'Duende IdentityServer': 'AuthorizationCodeLifetime = 60 in the client.',
    },
  },
  'code-entropy': { change: 'Make codes from at least 128 bits of a cryptographic random generator.' },
  'code-invented': { change: 'Look every code up; answer invalid_grant for one that you did not issue.' },
};
