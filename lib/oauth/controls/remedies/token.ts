import type { Remedy } from '@/lib/oauth/controls/remedies/remedy';

/** Remedies for the controls of the area token, by id. */
export const TOKEN_REMEDIES: Readonly<Record<string, Remedy>> = {
  'pkce-verified': {
    change: 'Hash the code_verifier and compare it with the challenge of the code before anything is issued.',
  },
  'pkce-downgrade': { change: 'Refuse a code_verifier for a code that was issued without a code_challenge.' },
  'pkce-method-downgrade': {
    change: 'Keep the method with the code; never compare the verifier with an S256 challenge as text.',
  },
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
  'refresh-invented': { change: 'Look refresh tokens up exactly, as text, among refresh tokens alone.' },
  'refresh-client-binding': { change: 'Keep the client with the refresh token and refuse it from any other.' },
  'refresh-authentication': {
    change: 'Authenticate a confidential client when it refreshes, as when it redeems a code.',
  },
  'refresh-scope': { change: 'Give at most the scope that the user granted; answer invalid_scope to more.' },
  'revocation-authentication': { change: 'Authenticate clients at the revocation endpoint as at the token endpoint.' },
  'introspection-authentication': { change: 'Authenticate callers of the introspection endpoint.' },
  'id-token-claims': { change: 'Put iss, sub, aud, exp and iat into every ID token.' },
  'id-token-issuer': { change: 'Make iss of ID tokens the issuer of the metadata, character by character.' },
  'id-token-audience': { change: 'Make aud of an ID token the client, and name it in azp when there are several.' },
  'id-token-signature': { change: 'Sign ID tokens with a published key; never with none.' },
  'id-token-at-hash': { change: 'Compute at_hash from the access token that is issued beside the ID token.' },
  'userinfo-subject': { change: 'Answer UserInfo with the sub of the ID token that was issued in the same grant.' },
  'id-token-key-references': { change: 'Leave jwk, jku, x5c and x5u out of the header of ID tokens.' },
  'device-code-entropy': { change: 'Create device codes from 128 random bits or more.' },
  'user-code-entropy': {
    change:
      'Create user codes at random, from eight letters of twenty or nine digits at least; limit wrong entries, and let codes expire within minutes.',
    in: { 'oidc-provider': 'features.deviceFlow.charset and mask: the default is eight letters.' },
  },
  'device-approval': {
    change:
      'Answer polls with authorization_pending until a person has agreed; look device codes up whole, and never by the user code.',
  },
  'device-consent': {
    change:
      'Show client, scope and user code at verification_uri_complete too, and connect the device only when the person submits that page.',
  },
  'device-code-client-binding': {
    change: 'Store the client with the device code, and answer a poll of any other with invalid_grant.',
  },
  'device-code-single-use': {
    change: 'Mark a device code as used in the statement that reads it, before tokens are issued.',
  },
  'device-code-lifetime': { change: 'Compare the age of the device code at each poll, and answer expired_token.' },
  'device-verification-uri': {
    change: 'Serve the verification page by https, and put nothing but the user code in its address.',
  },
  'device-client-authentication': {
    change:
      'Authenticate clients at the device authorization endpoint and at each poll as at the token endpoint for codes.',
  },
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
  'client-certificate': {
    change:
      'Verify the first certificate of the handshake up to a trusted authority, then compare its subject; compare a self-signed one with the registered certificate.',
    in: { 'oidc-provider': 'certificateAuthorized and certificateSubjectMatches in features.mTLS.' },
  },
  'client-certificate-header': {
    change:
      'Read the certificate from the TLS handshake; where a proxy passes it on, let the proxy remove the header from every request and take requests from the proxy alone.',
    in: {
      Keycloak: 'Remove the header of spi-x509cert-lookup at the proxy, and set proxy-trusted-addresses.',
      'oidc-provider': 'getCertificate in features.mTLS: read the header only where the proxy has set it.',
    },
  },
  'max-age': {
    change:
      'Ask for a new sign-in if the last one is older than max_age, and put its time into auth_time (OpenID Connect Core 3.1.2.1).',
  },
};
