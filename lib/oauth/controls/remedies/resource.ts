import type { Remedy } from '@/lib/oauth/controls/remedies/remedy';

/** Remedies for the controls of the area resource, by id. */
export const RESOURCE_REMEDIES: Readonly<Record<string, Remedy>> = {
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
  'token-required': { change: 'Answer 401 to every request of the resource that brings no valid token.' },
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
  'protected-resource-metadata': {
    change: 'Answer 401 with resource_metadata, and publish a document whose resource is the URL of this server.',
  },
  'resource-audience': {
    change: 'Read resource (RFC 8707) at both endpoints, and make it the aud of the access token.',
    in: { 'oidc-provider': 'features.resourceIndicators with the audience of getResourceServerInfo.' },
  },
  'registration-redirect-uris': {
    change:
      'Refuse to register javascript: and data: URIs and fragments, with invalid_redirect_uri (RFC 7591 section 5).',
  },
  'registration-token': {
    change:
      'Compare the registration access token with that of the client in the address, for GET, PUT and DELETE (RFC 7592).',
  },
  'certificate-bound-tokens': {
    change: 'Put cnf with x5t#S256 of the certificate into the access tokens of clients that registered for it.',
    in: {
      Keycloak: 'Clients > Advanced: OAuth 2.0 Mutual TLS Certificate Bound Access Tokens Enabled.',
      'oidc-provider': 'features.mTLS with certificateBoundAccessTokens.',
    },
  },
  'certificate-binding': {
    change: 'Compare cnf x5t#S256 of each token with the certificate of its TLS connection; refuse with invalid_token.',
  },
  'certificate-refresh-binding': {
    change: 'Bind refresh tokens of public clients to the certificate that they were issued with.',
  },
};
