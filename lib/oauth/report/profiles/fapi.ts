import { PROFILE_TRIES } from '@/lib/oauth/assessment/profile-tries';
import {
  observeBinding,
  observeBoundTokens,
  observeCodeMinute,
  observeCurves,
  observeEndpoint,
  observeMetadata,
  observeNoRotation,
  observeOutcomes,
  observePushedOnly,
  observeRequestLifetime,
  observeSubset,
} from '@/lib/oauth/report/profiles/observations';
import { createClauseDefiners, type Profile } from '@/lib/oauth/report/profiles/profile';

const DOCUMENT = 'FAPI 2.0 Security Profile';

const { requirePassed, observe, leaveUnjudged } = createClauseDefiners(DOCUMENT);

const KEY_METHODS = ['private_key_jwt', 'tls_client_auth', 'self_signed_tls_client_auth'];
const STRONG_ALGORITHMS = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** Requirements for authorization and resource servers in the FAPI 2.0 Security Profile (final, February 2025). */
export const FAPI: Profile = {
  id: 'fapi-2.0-security',
  title: DOCUMENT,
  document: DOCUMENT,
  clauses: [
    requirePassed('5.2.1 (1)', 'Every endpoint is protected by TLS.', 'tls tls-certificate'),
    requirePassed('5.2.1 (2)', 'TLS is version 1.2 or later.', 'tls-version'),
    requirePassed('5.2.2 (1)', 'TLS 1.2 uses recommended cipher suites only.', 'tls-ciphers'),
    leaveUnjudged(
      '5.2.3 (2)',
      'Endpoints for browsers use allowed cipher suites only.',
      'The control of cipher suites also refuses suites that are allowed here, but not recommended.',
    ),
    requirePassed('5.2.3 (3)', 'The authorization endpoint does not support CORS.', 'authorize-cors'),
    observe('5.3.2.1 (1)', 'The server publishes its metadata.', observeMetadata),
    requirePassed('5.3.2.1 (2)', 'The password grant is refused.', 'no-password-grant password-grant-every-client'),
    observe(
      '5.3.2.1 (3)',
      'Only confidential clients are supported.',
      observeSubset(
        'token_endpoint_auth_methods_supported',
        [...KEY_METHODS, 'client_secret_basic', 'client_secret_post', 'client_secret_jwt'],
        ['client_secret_basic'],
      ),
    ),
    observe('5.3.2.1 (4)', 'Only sender-constrained access tokens are issued.', observeBoundTokens),
    observe('5.3.2.1 (5)', 'Tokens are bound by DPoP or mutual TLS.', observeBinding),
    observe(
      '5.3.2.1 (6)',
      'Clients authenticate with a key or a certificate.',
      observeSubset('token_endpoint_auth_methods_supported', KEY_METHODS, ['client_secret_basic']),
    ),
    requirePassed('5.3.2.1 (7)', 'There is no open redirector.', 'no-open-redirect-on-error strict-redirect-uri'),
    observe(
      '5.3.2.1 (8)',
      'The audience of a client assertion is the issuer, as a string.',
      observeOutcomes('client-assertion', {
        [PROFILE_TRIES.audienceOfEndpoint]: 'refused',
        [PROFILE_TRIES.listOfAudiences]: 'refused',
      }),
    ),
    observe('5.3.2.1 (9)', 'Refresh tokens do not rotate.', observeNoRotation),
    observe('5.3.2.1 (11)', 'A code lives for at most 60 seconds.', observeCodeMinute),
    requirePassed('5.3.2.1 (12)', 'A code can be bound to a DPoP key.', 'dpop-code-binding'),
    observe(
      '5.3.2.1 (13)',
      'JWTs from up to 10 seconds in the future are accepted, from more than 60 seconds refused.',
      observeOutcomes('client-assertion', {
        [PROFILE_TRIES.fiveSecondsAhead]: 'accepted',
        [PROFILE_TRIES.issuedAhead]: 'refused',
        [PROFILE_TRIES.validAhead]: 'refused',
      }),
    ),
    requirePassed('5.3.2.2 (1)', 'The response type is code.', 'response-type-code'),
    observe(
      '5.3.2.2 (2)',
      'Authorization requests can be pushed.',
      observeEndpoint('pushed_authorization_request_endpoint'),
    ),
    requirePassed('5.3.2.2 (2)', 'A pushed request works once, exactly as pushed.', 'par'),
    observe('5.3.2.2 (3)', 'Authorization requests that were not pushed are refused.', observePushedOnly),
    requirePassed('5.3.2.2 (4)', 'Pushing a request takes authentication.', 'par-authentication'),
    requirePassed(
      '5.3.2.2 (5)',
      'PKCE with S256 is required.',
      'require-pkce pkce-s256 pkce-verified pkce-downgrade pkce-method-downgrade',
    ),
    observe(
      '5.3.2.2 (6)',
      'A pushed request names its redirect URI.',
      observeOutcomes('par', { [PROFILE_TRIES.withoutRedirectUri]: 'refused' }),
    ),
    requirePassed('5.3.2.2 (7)', 'The authorization response names its issuer.', 'issuer-in-response'),
    requirePassed('5.3.2.2 (8)', 'Redirect URIs use https.', 'redirect-uri-scheme'),
    requirePassed('5.3.2.2 (9)', 'A used code is refused.', 'code-single-use code-race'),
    requirePassed('5.3.2.2 (10)', 'A redirect does not repeat a POST.', 'redirect-303'),
    observe('5.3.2.2 (12)', 'A request_uri lives for less than 600 seconds.', observeRequestLifetime),
    requirePassed('5.3.2.2 (14)', 'Nonces of up to 64 characters are supported.', 'nonce-returned'),
    requirePassed('5.3.4 (1)', 'Access tokens are accepted in the header.', 'authorization-header'),
    requirePassed('5.3.4 (2)', 'Access tokens in the query are refused.', 'no-token-in-query'),
    requirePassed(
      '5.3.4 (3)',
      'The validity, integrity, expiry and revocation of a token are checked.',
      'signature-verified token-altered alg-none token-expiry revocation-effective',
    ),
    requirePassed(
      '5.3.4 (4)',
      'The authorization of a token is checked.',
      'scope-enforced validate-audience issuer-validated',
    ),
    requirePassed(
      '5.3.4 (5)',
      'Sender-constrained tokens are verified.',
      'sender-constrained dpop-proof certificate-binding',
    ),
    observe(
      '5.4.1 (1)',
      'Client assertions are signed with PS256, ES256 or EdDSA.',
      observeSubset('token_endpoint_auth_signing_alg_values_supported', STRONG_ALGORITHMS),
    ),
    observe(
      '5.4.1 (1)',
      'DPoP proofs are signed with PS256, ES256 or EdDSA.',
      observeSubset('dpop_signing_alg_values_supported', STRONG_ALGORITHMS),
    ),
    requirePassed('5.4.1 (2)', 'RSA keys have at least 2048 bits.', 'jwks-strength'),
    observe('5.4.1 (3)', 'Keys of elliptic curves have at least 224 bits.', observeCurves),
    requirePassed(
      '5.4.1 (4)',
      'Secrets, codes and tokens have at least 128 bits of entropy.',
      'code-entropy token-entropy client-secret-strength',
    ),
  ],
};
