/**
 * Controls that a request can switch off in the lab: the rows marked `S` in `lib/oauth/controls`. A test compares them.
 */
export const SWITCHES = [
  'strict-redirect-uri',
  'redirect-uri-wildcard',
  'redirect-uri-scheme',
  'require-state',
  'require-pkce',
  'pkce-s256',
  'response-type-code',
  'issuer-in-response',
  'no-open-redirect-on-error',
  'scope-limits',
  'resource-target',
  'frame-protection',
  'user-consent',
  'par',
  'referrer-policy',
  'code-single-use',
  'code-reuse-revokes',
  'code-lifetime',
  'code-client-binding',
  'code-redirect-binding',
  'pkce-verified',
  'pkce-downgrade',
  'device-approval',
  'device-consent',
  'device-code-client-binding',
  'device-code-single-use',
  'device-code-lifetime',
  'client-authentication',
  'token-no-store',
  'refresh-rotation',
  'refresh-reuse-revokes',
  'refresh-client-binding',
  'validate-audience',
  'signature-verified',
  'alg-none',
  'alg-confusion',
  'token-expiry',
  'short-token-lifetime',
  'issuer-validated',
  'token-type-header',
  'scope-enforced',
  'no-token-in-query',
  'sender-constrained',
  'not-before',
  'revocation-effective',
  'revocation-cascade',
] as const;

/**
 * Requirements of the FAPI 2.0 Security Profile beyond OAuth 2.1 (sections 5.3.2.1, 5.3.2.2 and 5.4.1). A request can
 * switch them on in the lab, one by one.
 */
export const FAPI_REQUIREMENTS = [
  'fapi-key-authentication',
  'fapi-pushed-requests',
  'fapi-bound-tokens',
  'fapi-assertion-audience',
  'fapi-no-rotation',
  'fapi-algorithms',
] as const;
