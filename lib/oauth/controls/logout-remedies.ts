import type { Remedy } from '@/lib/oauth/controls/remedy';

/** Remedies for the controls of logout, by id. */
export const LOGOUT_REMEDIES: Readonly<Record<string, Remedy>> = {
  'logout-redirect-uri': {
    change:
      'Compare post_logout_redirect_uri with those registered for the client, character by character; without a known client, redirect nowhere.',
    in: {
      Keycloak: 'Clients > Settings > Valid post logout redirect URIs: whole URIs, without * and without +.',
      'oidc-provider': 'Do not override Client.prototype.postLogoutRedirectUriAllowed.',
    },
  },
  'logout-hint': {
    change:
      'Verify the signature, the issuer and the audience of id_token_hint before anything in it is used; only exp may have passed. Compare client_id with it.',
  },
  'logout-state': { change: 'Add the state of the logout request to post_logout_redirect_uri, encoded.' },
  'logout-confirmation': {
    change: 'Show a page that asks before a session ends without a valid id_token_hint.',
    in: { Keycloak: 'Do not set spi-login-protocol-openid-connect-suppress-logout-confirmation-screen.' },
  },
};
