import { DEVICE_REMEDIES } from '@/lib/oauth/controls/device-remedies';
import { LOGOUT_REMEDIES } from '@/lib/oauth/controls/logout-remedies';
import { MUTUAL_TLS_REMEDIES } from '@/lib/oauth/controls/mutual-tls-remedies';
import type { Remedy } from '@/lib/oauth/controls/remedy';
import { TOKEN_EXCHANGE_REMEDIES } from '@/lib/oauth/controls/token-exchange-remedies';

const KEYCLOAK_REDIRECTS =
  'Clients > Settings > Valid redirect URIs: whole URIs, without *; for every client, a client policy with secure-redirect-uris-enforcer.';
const KEYCLOAK_PKCE = 'The PKCE method S256 in the client; for every client, a client policy with pkce-enforcer.';
const AUTH0_CALLBACKS = 'Applications > Settings > Allowed Callback URLs: list whole URLs, without *.';
const KEYCLOAK_HEADERS = 'Realm settings > Security defenses > Headers.';

/** Remedy for each control, by id. */
export const REMEDIES: Readonly<Record<string, Remedy>> = {
  ...DEVICE_REMEDIES,
  ...LOGOUT_REMEDIES,
  ...TOKEN_EXCHANGE_REMEDIES,
  ...MUTUAL_TLS_REMEDIES,
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
  'pkce-verified': {
    change: 'Hash the code_verifier and compare it with the challenge of the code before anything is issued.',
  },
  'pkce-downgrade': { change: 'Refuse a code_verifier for a code that was issued without a code_challenge.' },
  'pkce-method-downgrade': {
    change: 'Keep the method with the code; never compare the verifier with an S256 challenge as text.',
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
  'client-authentication': {
    change: 'Refuse requests of a confidential client without its credentials with 401 invalid_client.',
    in: { Keycloak: 'Clients > Settings > Capability config: Client authentication on.' },
  },
  'client-secret-strength': {
    change: 'Generate client secrets of at least 128 random bits. Do not let people choose them.',
  },
  'client-credentials-authentication': {
    change: 'Allow the client credentials grant to confidential clients alone, and authenticate them for it.',
  },
  'asymmetric-client-authentication': {
    change: 'Offer private_key_jwt or mutual TLS, and prefer them for confidential clients.',
  },
  'basic-authentication': { change: 'Accept HTTP Basic from clients with a secret (RFC 6749 section 2.3.1).' },
  'client-assertion': {
    change: 'Verify the signature of client assertions, their iss, sub, aud and exp, and take each jti once.',
  },
  'credentials-in-uri': { change: 'Read client credentials from the body or the Authorization header only.' },
  'token-post-only': { change: 'Answer 405 to everything but POST at the token endpoint.' },
  'token-no-store': { change: 'Send Cache-Control: no-store with every token response.' },
  'token-duplicate-parameters': { change: 'Answer invalid_request when a parameter of a token request stands twice.' },
  'token-client-id-required': { change: 'Refuse token requests of public clients without client_id.' },
  'no-password-grant': {
    change: 'Switch the resource owner password grant off.',
    in: {
      Keycloak: 'Clients > Settings > Capability config: Direct access grants off.',
      Auth0: 'Applications > Settings > Advanced Settings > Grant Types: Password off.',
    },
  },
  'password-grant-every-client': {
    change: 'Switch the resource owner password grant off for every client.',
    in: { Keycloak: 'A client policy for any client with reject-ropc-grant.' },
  },
  'refresh-rotation': {
    change: 'Issue a new refresh token with each use and end the old one, or bind refresh tokens to a key (DPoP).',
    in: {
      Keycloak: 'Realm settings > Tokens > Revoke refresh token on, Refresh token max reuse 0.',
      Auth0: 'Applications > Settings > Refresh Token Rotation: Allow Refresh Token Rotation on.',
      'oidc-provider': 'rotateRefreshToken: () => true.',
      'Spring Authorization Server': 'TokenSettings.builder().reuseRefreshTokens(false).',
      'Duende IdentityServer': 'RefreshTokenUsage = TokenUsage.OneTimeOnly in the client.',
    },
  },
  'refresh-reuse-revokes': {
    change: 'When an old refresh token comes back, revoke the newest one of its family as well.',
  },
  'refresh-race': { change: 'Rotate with one conditional write, so that of simultaneous refreshes one wins.' },
  'refresh-client-binding': { change: 'Keep the client with the refresh token and refuse it from any other.' },
  'refresh-authentication': {
    change: 'Authenticate a confidential client when it refreshes, as when it redeems a code.',
  },
  'refresh-scope': { change: 'Give at most the scope that the user granted; answer invalid_scope to more.' },
  'resource-target': { change: 'Refuse a resource that you do not issue tokens for with invalid_target.' },
  'validate-audience': {
    change: 'Refuse tokens whose aud does not name this resource server.',
    in: { Keycloak: 'Add an Audience mapper to a client scope, and check aud in the resource server.' },
  },
  'audience-exact': { change: 'Compare aud as a whole; take no prefixes.' },
  'aud-required': { change: 'Refuse tokens without aud.' },
  'exp-required': { change: 'Refuse tokens without exp.' },
  'token-passthrough': {
    change: 'Accept only tokens whose aud is this server; get a token of your own for what you call yourself.',
  },
  'signature-verified': {
    change: 'Verify the signature of each token with the published keys of the issuer before its claims are read.',
  },
  'alg-none': { change: 'Accept a fixed list of signature algorithms; none is never among them.' },
  'alg-confusion': {
    change: 'Bind each key to its algorithm, and accept only asymmetric ones for tokens of an issuer.',
  },
  'token-secret': { change: 'Sign tokens with a private key, or with a random secret of 256 bits or more.' },
  'token-altered': {
    change: 'Look up the whole token, byte for byte, and refuse what is shorter, longer or different.',
  },
  'header-key-ignored': {
    change: 'Choose the key by the issuer alone; ignore jwk, jku, x5c and x5u in the header of a token.',
  },
  'kid-unknown': { change: 'Refuse a kid that the issuer does not publish; never try another key.' },
  'issuer-validated': { change: 'Compare iss with the issuer that you trust, character by character.' },
  'token-type-header': { change: 'Accept only tokens with typ at+jwt as access tokens.' },
  'token-expiry': { change: 'Refuse tokens after exp, with a minute of tolerance at the most.' },
  'not-before': { change: 'Refuse tokens before nbf.' },
  'scope-enforced': { change: 'Check the scope of the token for each operation; answer 403 insufficient_scope.' },
  'no-token-in-query': { change: 'Read access tokens from the Authorization header only.' },
  'authorization-header': { change: 'Accept access tokens in the Authorization header (RFC 6750 section 2.1).' },
  'resource-no-store': { change: 'Send Cache-Control: no-store or private with protected answers.' },
  'sender-constrained': { change: 'Refuse a token with cnf that comes without a proof by its key.' },
  'dpop-proof': { change: 'Check htm, htu, iat, jti, ath and the key of each DPoP proof, and take each jti once.' },
  'dpop-code-binding': { change: 'Keep dpop_jkt with the code, and redeem it only with a proof by that key.' },
  'dpop-refresh-binding': { change: 'Bind refresh tokens of public clients to the DPoP key they were issued with.' },
  'short-token-lifetime': {
    change: 'Let bearer access tokens expire after 15 minutes at the most.',
    in: {
      Keycloak: 'Realm settings > Tokens > Access token lifespan.',
      Auth0: 'APIs > Settings > Token Expiration.',
      'oidc-provider': 'ttl.AccessToken: 600.',
      'Spring Authorization Server': 'TokenSettings.builder().accessTokenTimeToLive(Duration.ofMinutes(15)).',
      'Ory Hydra': 'ttl.access_token: 15m.',
      'Duende IdentityServer': 'AccessTokenLifetime = 900 in the client.',
    },
  },
  'token-entropy': { change: 'Make opaque tokens and jti from at least 128 bits of a cryptographic random generator.' },
  'www-authenticate': { change: 'Send WWW-Authenticate with every 401, with the error that applies.' },
  'revocation-effective': {
    change: 'Look revoked tokens up (introspection, a deny list of jti, or short lifetimes with a check).',
  },
  'revocation-refresh': { change: 'Delete a revoked refresh token, with its family, before the answer is sent.' },
  'revocation-cascade': { change: 'Revoke the access tokens of a grant together with its refresh token.' },
  'revocation-client-bound': { change: 'Revoke a token only for the client that it was issued to.' },
  'revocation-authentication': { change: 'Authenticate clients at the revocation endpoint as at the token endpoint.' },
  'introspection-authentication': { change: 'Authenticate callers of the introspection endpoint.' },
  'id-token-claims': { change: 'Put iss, sub, aud, exp and iat into every ID token.' },
  'id-token-issuer': { change: 'Make iss of ID tokens the issuer of the metadata, character by character.' },
  'id-token-audience': { change: 'Make aud of an ID token the client, and name it in azp when there are several.' },
  'id-token-signature': { change: 'Sign ID tokens with a published key; never with none.' },
  'id-token-at-hash': { change: 'Compute at_hash from the access token that is issued beside the ID token.' },
  'userinfo-subject': { change: 'Answer UserInfo with the sub of the ID token that was issued in the same grant.' },
  'id-token-key-references': { change: 'Leave jwk, jku, x5c and x5u out of the header of ID tokens.' },
  tls: { change: 'Serve every endpoint by https only.' },
  'tls-version': { change: 'Switch TLS 1.0 and 1.1 off.' },
  'tls-certificate': { change: 'Serve a certificate that browsers trust, for the right name, in time.' },
  'tls-ciphers': { change: 'Offer AEAD cipher suites with forward secrecy only.' },
  'metadata-consistent': { change: 'Advertise exactly what the server does; make the issuer equal to its own URL.' },
  'jwks-strength': { change: 'Publish RSA keys of at least 2048 bits or EC keys, and no private or symmetric ones.' },
  'cors-token-endpoint': {
    change: 'Allow browser clients without credentials; never answer Access-Control-Allow-Credentials to any origin.',
  },
  'protected-resource-metadata': {
    change: 'Answer 401 with resource_metadata, and publish a document whose resource is the URL of this server.',
  },
  'resource-audience': {
    change: 'Read resource (RFC 8707) at both endpoints, and make it the aud of the access token.',
    in: { 'oidc-provider': 'features.resourceIndicators with the audience of getResourceServerInfo.' },
  },
  'pkce-advertised': { change: 'Publish code_challenge_methods_supported with S256.' },
  'registration-redirect-uris': {
    change:
      'Refuse to register javascript: and data: URIs and fragments, with invalid_redirect_uri (RFC 7591 section 5).',
  },
};
