import { observeEndpoint, observeOffer } from '@/lib/oauth/report/profiles/observations';
import { createClauseDefiners, type Profile } from '@/lib/oauth/report/profiles/profile';

const DOCUMENT = 'OpenID Connect Core';

const { requirePassed, observe, leaveUnjudged } = createClauseDefiners(DOCUMENT);

/**
 * Requirements of OpenID Connect Core 1.0 for a Basic OpenID Provider, as OpenID Connect Conformance Profiles 3.0
 * section 2.1.1 lists its features.
 */
export const BASIC_OP: Profile = {
  id: 'openid-basic-op',
  title: 'OpenID Connect Basic OP',
  document: DOCUMENT,
  clauses: [
    requirePassed('2', 'An ID token has iss, sub, aud, exp and iat.', 'id-token-claims'),
    requirePassed('3.1.3.7', 'An ID token names its issuer.', 'id-token-issuer'),
    requirePassed('3.1.3.7', 'An ID token is for its client.', 'id-token-audience'),
    requirePassed('10.1', 'An ID token is signed with a published key.', 'id-token-signature'),
    observe(
      '15.1',
      'ID tokens can be signed with RS256.',
      observeOffer('id_token_signing_alg_values_supported', 'RS256'),
    ),
    requirePassed('3.1.3.6', 'The at_hash of an ID token is right.', 'id-token-at-hash'),
    requirePassed('3.1.2.1', 'The nonce comes back in the ID token.', 'nonce-returned'),
    requirePassed('3.1.2.1', 'Unknown parameters are ignored.', 'unknown-parameter-ignored'),
    requirePassed('3.1.2.1', 'The redirect URI is compared exactly.', 'strict-redirect-uri'),
    observe('3.1.2.1', 'The response type code is offered.', observeOffer('response_types_supported', 'code')),
    leaveUnjudged(
      '3.1.2.1',
      'prompt, display and acr_values are understood.',
      'They need a session whose age is known. No control signs in for that.',
    ),
    requirePassed('3.1.2.1', 'max_age limits the age of a sign-in.', 'max-age'),
    requirePassed('3.1.2.5', 'The state comes back.', 'state-intact'),
    requirePassed(
      '3.1.3.2',
      'A code works once, for its client and its redirect URI.',
      'code-single-use code-client-binding code-redirect-binding',
    ),
    requirePassed('3.1.3.3', 'Token responses are not cached.', 'token-no-store'),
    observe('5.3', 'There is a UserInfo endpoint.', observeEndpoint('userinfo_endpoint')),
    requirePassed('5.3.2', 'The UserInfo response has the subject of the ID token.', 'userinfo-subject'),
    leaveUnjudged(
      '5.4',
      'The scopes profile, email, address and phone give their claims.',
      'Which claims a person has shows only to its provider.',
    ),
    requirePassed('9', 'Clients authenticate with HTTP Basic.', 'basic-authentication client-authentication'),
    observe(
      '9',
      'Clients can send their secret in the body.',
      observeOffer('token_endpoint_auth_methods_supported', 'client_secret_post', ['client_secret_basic']),
    ),
  ],
};
