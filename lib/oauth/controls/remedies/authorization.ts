import type { Remedy } from '@/lib/oauth/controls/remedies/remedy';

const KEYCLOAK_REDIRECTS =
  'Clients > Settings > Valid redirect URIs: whole URIs, without *; for every client, a client policy with secure-redirect-uris-enforcer.';
const KEYCLOAK_PKCE = 'The PKCE method S256 in the client; for every client, a client policy with pkce-enforcer.';
const AUTH0_CALLBACKS = 'Applications > Settings > Allowed Callback URLs: list whole URLs, without *.';
const KEYCLOAK_HEADERS = 'Realm settings > Security defenses > Headers.';

/** Remedies for the controls of the area authorization, by id. */
export const AUTHORIZATION_REMEDIES: Readonly<Record<string, Remedy>> = {
  'strict-redirect-uri': {
    change:
      'Compare redirect_uri with the registered URIs character by character; only the port of a loopback address may differ.',
    in: {
      Keycloak: KEYCLOAK_REDIRECTS,
      Auth0: AUTH0_CALLBACKS,
      'oidc-provider': 'Do not override Client.prototype.redirectUriAllowed.',
    },
  },
  'redirect-uri-wildcard': {
    change: 'Register whole URIs; take no patterns and no prefixes.',
    in: { Keycloak: KEYCLOAK_REDIRECTS, Auth0: AUTH0_CALLBACKS },
  },
  'redirect-uri-scheme': {
    change: 'Register https URIs only; http for loopback addresses of native clients, never javascript: or data:.',
  },
  'redirect-uri-fragment': {
    change: 'Refuse redirect URIs with a fragment when a client is registered and when it asks.',
  },
  'redirect-uri-required': {
    change: 'Refuse a request without redirect_uri when the client has registered more than one.',
  },
  'redirect-uri-confusion': {
    change: 'Decode redirect_uri once, refuse a repeated one, and compare what will be sent to the browser.',
  },
  'code-pollution': {
    change: 'Refuse redirect URIs that bring parameters of the response (code, state, iss, error) along.',
  },
  'fragment-fix': {
    change: 'End the address of a redirect in a fragment of your own (#_), so that the browser inherits none.',
  },
  'loopback-port': { change: 'Let native clients use any port of a registered loopback address.' },
  'no-open-redirect-on-error': {
    change: 'Show errors of an unknown client or an unregistered redirect URI on a page of your own; redirect nowhere.',
  },
  'require-pkce': {
    change: 'Refuse authorization requests without code_challenge, at least of public clients.',
    in: {
      Keycloak: KEYCLOAK_PKCE,
      'oidc-provider': 'pkce.required: () => true.',
      'Spring Authorization Server': 'ClientSettings.builder().requireProofKey(true).',
      'Ory Hydra': 'oauth2.pkce.enforced: true.',
      'Duende IdentityServer': 'RequirePkce = true in the client.',
    },
  },
  'pkce-s256': {
    change: 'Refuse code_challenge_method plain, and a challenge without a method, which means plain.',
    in: { Keycloak: KEYCLOAK_PKCE, 'Duende IdentityServer': 'AllowPlainTextPkce = false in the client.' },
  },
  'pkce-challenge-syntax': {
    change: 'Take code_challenge only as 43 to 128 unreserved characters (RFC 7636 section 4.2).',
  },
  'response-type-code': {
    change: 'Switch the implicit and hybrid grants off; accept response_type=code only.',
    in: {
      Keycloak:
        'Clients > Settings > Capability config: Implicit flow off; for every client, a client policy with reject-implicit-grant.',
      Auth0: 'Applications > Settings > Advanced Settings > Grant Types: Implicit off.',
      'Microsoft Entra ID':
        'App registrations > Authentication: no access tokens and no ID tokens from the authorization endpoint.',
    },
  },
  'scope-limits': {
    change: 'Refuse scopes that the client is not registered for, or leave them out and say so in the token response.',
    in: { Keycloak: 'Clients > Client scopes: assign only what the client needs; Full scope allowed off.' },
  },
  'duplicate-parameters': { change: 'Answer invalid_request when a parameter stands twice.' },
  'unknown-parameter-ignored': { change: 'Ignore parameters that you do not know.' },
  'client-id-mixup': {
    change: 'Use one client for the whole request: refuse it when body and Authorization header name two.',
  },
  'client-unknown': {
    change:
      'Look the client up first; show a page of your own for an unknown one, and invalid_client at the token endpoint.',
  },
  'require-state': {
    change: 'Refuse requests that carry neither state nor PKCE nor a nonce, and return the state unchanged.',
  },
  'state-intact': { change: 'Keep the state as opaque text of at least 512 characters and return it byte for byte.' },
  'issuer-in-response': {
    change:
      'Add iss to authorization responses, errors included, and advertise authorization_response_iss_parameter_supported.',
    in: {
      Keycloak:
        'Clients > Advanced > OpenID Connect compatibility modes: Exclude issuer from authentication response off.',
    },
  },
  'nonce-returned': { change: 'Copy the nonce of the authorization request into the ID token.' },
  'user-consent': {
    change: 'Ask the user before a client gets its first code; remember the answer for that client and scope only.',
    in: {
      Keycloak: 'Clients > Settings > Consent required on.',
      'Spring Authorization Server': 'ClientSettings.builder().requireAuthorizationConsent(true).',
      'Duende IdentityServer': 'RequireConsent = true in the client.',
    },
  },
  'consent-ticket-once': {
    change: 'Give each answer of the login and consent page a one-time ticket that is bound to the session.',
  },
  'redirect-303': { change: 'Redirect with 303 after a POST, so that the browser does not send the password on.' },
  'session-cookie': {
    change: 'Set HttpOnly and Secure on the cookie of the session.',
  },
  'frame-protection': {
    change: "Send Content-Security-Policy: frame-ancestors 'none' with every page.",
    in: { Keycloak: `${KEYCLOAK_HEADERS} X-Frame-Options and Content-Security-Policy.` },
  },
  'content-security-policy': {
    change:
      'Send a Content-Security-Policy with every page that allows neither framing, inline scripts nor any source.',
    in: { Keycloak: `${KEYCLOAK_HEADERS} Content-Security-Policy.` },
  },
  'referrer-policy': {
    change: 'Send Referrer-Policy: no-referrer (or strict-origin) with the pages of the flow.',
    in: { Keycloak: `${KEYCLOAK_HEADERS} Referrer-Policy.` },
  },
  'authorize-cors': {
    change:
      'Send no Access-Control-Allow-Origin at the authorization endpoint: browsers are sent there, scripts do not call it.',
  },
  'form-post': { change: 'Offer response_mode=form_post, so that codes stay out of addresses.' },
  'jar-signature': {
    change: 'Verify the signature of request objects, take no alg none, and ignore parameters beside them.',
  },
  'jar-parameters': {
    change: 'Take every parameter from the request object alone, and ignore those beside it (RFC 9101 section 6.3).',
  },
  'markup-escaped': {
    change:
      'Escape what a request carries where a page shows it, also in hidden fields and scripts, and link to registered addresses alone.',
  },
  par: { change: 'Use each request_uri once and take only the parameters that were pushed.' },
  'par-authentication': {
    change: 'Authenticate clients at the pushed authorization request endpoint as at the token endpoint.',
  },
  'par-client-bound': { change: 'Keep the client with the request_uri and refuse it from any other.' },
  'par-required': {
    change: 'Where require_pushed_authorization_requests is advertised, refuse requests that were not pushed.',
  },
  'par-entropy': { change: 'Make request_uri from at least 128 random bits.' },
  'par-redirect-uri': {
    change: 'Take an unregistered redirect URI in a pushed request only from a client that authenticated.',
  },
  'resource-target': { change: 'Refuse a resource that you do not issue tokens for with invalid_target.' },
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
