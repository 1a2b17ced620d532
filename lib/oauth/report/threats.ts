/** A threat of RFC 6819 section 4 or RFC 9700 section 4, and the controls that mitigate it. */
export interface Threat {
  /** Section that describes it. */
  source: string;
  title: string;
  controls: readonly string[];
  /** Why it cannot be judged from outside. It has no controls then. */
  unjudged?: string;
}

/** Creates a threat. `controls` are ids, separated by spaces. */
const createThreat = (source: string, title: string, controls: string): Threat => ({
  source,
  title,
  controls: controls.split(' '),
});
const createUnjudged = (source: string, title: string, why: string): Threat => ({
  source,
  title,
  controls: [],
  unjudged: why,
});

/** Every threat of both documents. A title includes the grant if only the heading above names it. */
export const THREATS: readonly Threat[] = [
  createThreat(
    'RFC 9700 4.1',
    'Insufficient redirection URI validation',
    'strict-redirect-uri redirect-uri-wildcard redirect-uri-scheme redirect-uri-fragment ' +
      'redirect-uri-confusion redirect-uri-required code-pollution duplicate-parameters fragment-fix ' +
      'code-redirect-binding par-redirect-uri registration-redirect-uris',
  ),
  createThreat(
    'RFC 9700 4.2',
    'Credential leakage via Referer headers',
    'referrer-policy response-type-code require-pkce code-client-binding code-single-use code-reuse-revokes form-post',
  ),
  createThreat(
    'RFC 9700 4.3',
    'Credential leakage via browser history',
    'code-single-use no-token-in-query authorization-header response-type-code token-post-only form-post par',
  ),
  createThreat(
    'RFC 9700 4.4',
    'Mix-up attacks',
    'issuer-in-response id-token-issuer metadata-consistent forwarded-host',
  ),
  createThreat(
    'RFC 9700 4.5',
    'Authorization code injection',
    'require-pkce pkce-verified pkce-s256 pkce-challenge-syntax pkce-advertised nonce-returned ' +
      'code-client-binding code-single-use code-race token-client-id-required client-id-mixup ' +
      'token-duplicate-parameters dpop-code-binding',
  ),
  createThreat(
    'RFC 9700 4.6',
    'Access token injection',
    'response-type-code id-token-at-hash nonce-returned userinfo-subject',
  ),
  createThreat(
    'RFC 9700 4.7',
    'Cross-site request forgery',
    'require-state state-intact require-pkce consent-ticket-once par-entropy ' +
      'logout-confirmation logout-hint logout-state',
  ),
  createThreat(
    'RFC 9700 4.8',
    'PKCE downgrade',
    'pkce-downgrade pkce-method-downgrade require-pkce pkce-s256 par-required jar-signature jar-parameters',
  ),
  createThreat(
    'RFC 9700 4.9',
    'Access token leakage at the resource server',
    'validate-audience audience-exact aud-required resource-audience protected-resource-metadata ' +
      'sender-constrained certificate-bound-tokens certificate-binding short-token-lifetime resource-no-store',
  ),
  createThreat(
    'RFC 9700 4.10',
    'Misuse of stolen access tokens',
    'sender-constrained dpop-proof certificate-bound-tokens certificate-binding validate-audience aud-required ' +
      'issuer-validated short-token-lifetime token-expiry exp-required not-before token-exchange-authentication ' +
      'token-exchange-subject token-exchange-type token-exchange-scope',
  ),
  createThreat(
    'RFC 9700 4.11',
    'Open redirection',
    'no-open-redirect-on-error strict-redirect-uri registration-redirect-uris logout-redirect-uri',
  ),
  createThreat('RFC 9700 4.12', '307 redirect', 'redirect-303'),
  createThreat('RFC 9700 4.13', 'TLS terminating reverse proxies', 'client-certificate-header'),
  createThreat(
    'RFC 9700 4.14',
    'Refresh token protection',
    'refresh-rotation refresh-reuse-revokes refresh-invented refresh-client-binding refresh-authentication refresh-race ' +
      'refresh-scope revocation-cascade dpop-refresh-binding certificate-refresh-binding',
  ),
  createUnjudged(
    'RFC 9700 4.15',
    'Client impersonating resource owner',
    'Whether the id of a client can be that of a user shows in the registry of clients and in the rules of ' +
      'the resource server.',
  ),
  createThreat('RFC 9700 4.16', 'Clickjacking', 'frame-protection content-security-policy'),
  createUnjudged(
    'RFC 9700 4.17',
    'Attacks on in-browser communication flows',
    'Scripts in the browser check who gets a message and who sent it: no request to the server shows how.',
  ),
  createThreat(
    'RFC 6819 4.1.1',
    'Obtaining client secrets',
    'client-secret-strength credentials-in-uri require-pkce asymmetric-client-authentication',
  ),
  createThreat(
    'RFC 6819 4.1.2',
    'Obtaining refresh tokens',
    'refresh-rotation refresh-client-binding refresh-authentication revocation-refresh revocation-effective ' +
      'revocation-cascade',
  ),
  createThreat(
    'RFC 6819 4.1.3',
    'Obtaining access tokens',
    'short-token-lifetime token-no-store scope-limits revocation-effective',
  ),
  createUnjudged(
    'RFC 6819 4.1.4',
    'End-user credentials phished using compromised or embedded browser',
    'The client chooses the browser, and no server can see which one it is.',
  ),
  createThreat('RFC 6819 4.1.5', 'Open redirectors on client', 'strict-redirect-uri'),
  createThreat('RFC 6819 4.2.1', 'Password phishing by counterfeit authorization server', 'tls tls-certificate'),
  createThreat('RFC 6819 4.2.2', 'User unintentionally grants too much access scope', 'user-consent scope-limits'),
  createThreat(
    'RFC 6819 4.2.3',
    'Malicious client obtains existing authorization by fraud',
    'user-consent strict-redirect-uri client-unknown jar-signature jar-parameters registration-token max-age',
  ),
  createThreat('RFC 6819 4.2.4', 'Open redirector', 'no-open-redirect-on-error strict-redirect-uri'),
  createThreat('RFC 6819 4.3.1', 'Eavesdropping access tokens', 'tls tls-version tls-ciphers short-token-lifetime'),
  createUnjudged(
    'RFC 6819 4.3.2',
    'Obtaining access tokens from authorization server database',
    'How tokens are stored shows only in the database.',
  ),
  createThreat(
    'RFC 6819 4.3.3',
    'Disclosure of client credentials during transmission',
    'tls credentials-in-uri asymmetric-client-authentication',
  ),
  createUnjudged(
    'RFC 6819 4.3.4',
    'Obtaining client secret from authorization server database',
    'How secrets are stored shows only in the database.',
  ),
  createThreat(
    'RFC 6819 4.3.5',
    'Obtaining client secret by online guessing',
    'client-secret-strength client-authentication client-assertion client-certificate client-certificate-header',
  ),
  createThreat(
    'RFC 6819 4.4.1.1',
    'Eavesdropping or leaking authorization codes',
    'tls code-single-use code-race code-lifetime code-client-binding code-reuse-revokes require-pkce ' +
      'dpop-code-binding',
  ),
  createUnjudged(
    'RFC 6819 4.4.1.2',
    'Obtaining authorization codes from authorization server database',
    'How codes are stored shows only in the database.',
  ),
  createThreat(
    'RFC 6819 4.4.1.3',
    'Online guessing of authorization codes',
    'code-entropy code-invented code-lifetime code-client-binding',
  ),
  createThreat(
    'RFC 6819 4.4.1.4',
    'Malicious client obtains authorization',
    'user-consent strict-redirect-uri client-authentication client-assertion client-unknown ' +
      'par-authentication par-client-bound',
  ),
  createThreat(
    'RFC 6819 4.4.1.5',
    'Authorization code phishing',
    'strict-redirect-uri client-authentication require-pkce',
  ),
  createThreat('RFC 6819 4.4.1.6', 'User session impersonation', 'redirect-uri-scheme require-pkce session-cookie'),
  createThreat(
    'RFC 6819 4.4.1.7',
    'Authorization code leakage through counterfeit client',
    'code-redirect-binding strict-redirect-uri require-pkce',
  ),
  createThreat('RFC 6819 4.4.1.8', 'CSRF attack against redirect-uri', 'require-state state-intact'),
  createThreat('RFC 6819 4.4.1.9', 'Clickjacking attack against authorization', 'frame-protection'),
  createThreat('RFC 6819 4.4.1.10', 'Resource owner impersonation', 'user-consent consent-ticket-once'),
  createUnjudged(
    'RFC 6819 4.4.1.11',
    'DoS attacks that exhaust resources',
    'Only exhausting the server would show it.',
  ),
  createThreat('RFC 6819 4.4.1.12', 'DoS using manufactured authorization codes', 'code-invented require-state'),
  createThreat(
    'RFC 6819 4.4.1.13',
    'Code substitution (OAuth login)',
    'code-client-binding nonce-returned id-token-audience id-token-signature id-token-claims ' +
      'id-token-key-references',
  ),
  createThreat(
    'RFC 6819 4.4.2.1',
    'Access token leak in transport/endpoints (implicit grant)',
    'response-type-code tls',
  ),
  createThreat('RFC 6819 4.4.2.2', 'Access token leak in browser history (implicit grant)', 'response-type-code'),
  createThreat(
    'RFC 6819 4.4.2.3',
    'Malicious client obtains authorization (implicit grant)',
    'response-type-code user-consent',
  ),
  createThreat('RFC 6819 4.4.2.4', 'Manipulation of scripts (implicit grant)', 'response-type-code tls'),
  createThreat(
    'RFC 6819 4.4.2.5',
    'CSRF attack against redirect-uri (implicit grant)',
    'response-type-code require-state',
  ),
  createThreat(
    'RFC 6819 4.4.2.6',
    'Token substitution (OAuth login, implicit grant)',
    'response-type-code validate-audience',
  ),
  createThreat(
    'RFC 6819 4.4.3.1',
    'Accidental exposure of passwords at client site (password grant)',
    'no-password-grant password-grant-every-client',
  ),
  createThreat(
    'RFC 6819 4.4.3.2',
    'Client obtains scopes without end-user authorization (password grant)',
    'no-password-grant password-grant-every-client',
  ),
  createThreat(
    'RFC 6819 4.4.3.3',
    'Client obtains refresh token through automatic authorization (password grant)',
    'no-password-grant password-grant-every-client',
  ),
  createThreat('RFC 6819 4.4.3.4', 'Obtaining user passwords on transport (password grant)', 'no-password-grant tls'),
  createUnjudged(
    'RFC 6819 4.4.3.5',
    'Obtaining user passwords from authorization server database (password grant)',
    'How passwords are stored shows only in the database.',
  ),
  createThreat('RFC 6819 4.4.3.6', 'Online guessing (password grant)', 'no-password-grant password-grant-every-client'),
  createThreat(
    'RFC 6819 4.4.4',
    'Client credentials',
    'client-authentication client-credentials-authentication client-assertion client-secret-strength',
  ),
  createThreat(
    'RFC 6819 4.5.1',
    'Eavesdropping refresh tokens from authorization server',
    'tls refresh-client-binding',
  ),
  createThreat(
    'RFC 6819 4.5.2',
    'Obtaining refresh token from authorization server database',
    'refresh-client-binding refresh-authentication',
  ),
  createThreat(
    'RFC 6819 4.5.3',
    'Obtaining refresh token by online guessing',
    'token-entropy refresh-invented refresh-authentication',
  ),
  createThreat('RFC 6819 4.5.4', 'Refresh token phishing by counterfeit authorization server', 'tls tls-certificate'),
  createThreat(
    'RFC 6819 4.6.1',
    'Eavesdropping access tokens on transport',
    'tls sender-constrained short-token-lifetime exp-required',
  ),
  createThreat('RFC 6819 4.6.2', 'Replay of authorized resource server requests', 'sender-constrained dpop-proof tls'),
  createThreat(
    'RFC 6819 4.6.3',
    'Guessing access tokens',
    'token-required token-entropy token-secret token-altered signature-verified alg-none alg-confusion ' +
      'header-key-ignored kid-unknown issuer-validated jwks-strength introspection-authentication',
  ),
  createThreat(
    'RFC 6819 4.6.4',
    'Access token phishing by counterfeit resource server',
    'validate-audience resource-audience resource-target protected-resource-metadata sender-constrained',
  ),
  createThreat(
    'RFC 6819 4.6.5',
    'Abuse of token by legitimate resource server or client',
    'scope-enforced validate-audience token-type-header token-passthrough',
  ),
  createThreat('RFC 6819 4.6.6', 'Leak of confidential data in HTTP proxies', 'token-no-store resource-no-store'),
  createThreat(
    'RFC 6819 4.6.7',
    'Token leakage via log files and HTTP referrers',
    'no-token-in-query authorization-header referrer-policy token-post-only',
  ),
];
