import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { describeControl } from '@/lib/oauth/report/describe-control';

/** A threat of RFC 6819 section 4 or RFC 9700 section 4, and the controls that mitigate it. */
export interface Threat {
  /** The section that describes it. */
  source: string;
  title: string;
  controls: readonly string[];
}

const threat = (source: string, title: string, ...controls: string[]): Threat => ({ source, title, controls });

/** Every threat of both documents. One that no outside observer can judge has no controls. */
export const THREATS: readonly Threat[] = [
  threat(
    'RFC 9700 4.1',
    'Insufficient redirection URI validation',
    ...['strict-redirect-uri', 'redirect-uri-wildcard', 'redirect-uri-scheme', 'redirect-uri-fragment'],
    ...['redirect-uri-confusion', 'code-pollution', 'fragment-fix', 'code-redirect-binding'],
  ),
  threat(
    'RFC 9700 4.2',
    'Credential leakage via Referer headers',
    'referrer-policy',
    'code-single-use',
    'require-pkce',
  ),
  threat(
    'RFC 9700 4.3',
    'Credential leakage via browser history',
    ...['code-single-use', 'no-token-in-query', 'response-type-code', 'token-post-only', 'form-post'],
  ),
  threat('RFC 9700 4.4', 'Mix-up attacks', 'issuer-in-response', 'id-token-issuer', 'metadata-consistent'),
  threat(
    'RFC 9700 4.5',
    'Authorization code injection',
    ...['require-pkce', 'pkce-verified', 'pkce-s256', 'nonce-returned', 'code-client-binding', 'code-single-use'],
  ),
  threat('RFC 9700 4.6', 'Access token injection', 'response-type-code', 'id-token-at-hash', 'nonce-returned'),
  threat(
    'RFC 9700 4.7',
    'Cross-site request forgery',
    'require-state',
    'state-intact',
    'require-pkce',
    'consent-ticket-once',
  ),
  threat('RFC 9700 4.8', 'PKCE downgrade', 'pkce-downgrade', 'pkce-method-downgrade', 'require-pkce', 'pkce-s256'),
  threat(
    'RFC 9700 4.9',
    'Access token leakage at the resource server',
    ...['validate-audience', 'audience-exact', 'sender-constrained', 'short-token-lifetime', 'resource-no-store'],
  ),
  threat(
    'RFC 9700 4.10',
    'Misuse of stolen access tokens',
    ...['sender-constrained', 'validate-audience', 'short-token-lifetime', 'token-expiry', 'dpop-proof'],
  ),
  threat('RFC 9700 4.11', 'Open redirection', 'no-open-redirect-on-error', 'strict-redirect-uri'),
  threat('RFC 9700 4.12', '307 redirect', 'redirect-303'),
  threat('RFC 9700 4.13', 'TLS terminating reverse proxies'),
  threat(
    'RFC 9700 4.14',
    'Refresh token protection',
    ...[
      'refresh-rotation',
      'refresh-reuse-revokes',
      'refresh-client-binding',
      'refresh-authentication',
      'refresh-race',
    ],
    'dpop-refresh-binding',
  ),
  threat('RFC 9700 4.15', 'Client impersonating resource owner'),
  threat('RFC 9700 4.16', 'Clickjacking', 'frame-protection'),
  threat('RFC 9700 4.17', 'Attacks on in-browser communication flows', 'authorize-cors', 'cors-token-endpoint'),
  threat('RFC 6819 4.1.1', 'Obtaining client secrets', 'client-secret-strength', 'credentials-in-uri', 'require-pkce'),
  threat(
    'RFC 6819 4.1.2',
    'Obtaining refresh tokens',
    'refresh-rotation',
    'refresh-client-binding',
    'refresh-authentication',
  ),
  threat('RFC 6819 4.1.3', 'Obtaining access tokens', 'short-token-lifetime', 'token-no-store', 'scope-limits'),
  threat('RFC 6819 4.1.4', 'Phishing by an embedded browser', 'password-grant-every-client'),
  threat('RFC 6819 4.1.5', 'Open redirectors on the client', 'strict-redirect-uri'),
  threat('RFC 6819 4.2.1', 'Password phishing by a counterfeit server', 'tls', 'tls-certificate'),
  threat('RFC 6819 4.2.2', 'The user grants too much', 'user-consent', 'scope-limits'),
  threat(
    'RFC 6819 4.2.3',
    'A malicious client obtains an existing authorization',
    'user-consent',
    'strict-redirect-uri',
  ),
  threat('RFC 6819 4.2.4', 'Open redirector', 'no-open-redirect-on-error', 'strict-redirect-uri'),
  threat('RFC 6819 4.3.1', 'Eavesdropping access tokens', 'tls', 'tls-version', 'tls-ciphers', 'short-token-lifetime'),
  threat('RFC 6819 4.3.2', 'Obtaining access tokens from the database'),
  threat(
    'RFC 6819 4.3.3',
    'Disclosure of client credentials in transit',
    'tls',
    'credentials-in-uri',
    'asymmetric-client-authentication',
  ),
  threat('RFC 6819 4.3.4', 'Obtaining client secrets from the database'),
  threat('RFC 6819 4.3.5', 'Guessing client secrets', 'client-secret-strength', 'client-authentication'),
  threat(
    'RFC 6819 4.4.1.1',
    'Eavesdropping or leaking codes',
    ...['tls', 'code-single-use', 'code-lifetime', 'code-client-binding', 'code-reuse-revokes', 'require-pkce'],
  ),
  threat('RFC 6819 4.4.1.2', 'Obtaining codes from the database', 'code-lifetime', 'code-single-use'),
  threat('RFC 6819 4.4.1.3', 'Guessing codes', 'code-entropy', 'code-invented', 'code-lifetime', 'code-client-binding'),
  threat(
    'RFC 6819 4.4.1.4',
    'A malicious client obtains authorization',
    'user-consent',
    'strict-redirect-uri',
    'client-authentication',
  ),
  threat('RFC 6819 4.4.1.5', 'Code phishing', 'strict-redirect-uri', 'client-authentication', 'require-pkce'),
  threat('RFC 6819 4.4.1.6', 'User session impersonation', 'redirect-uri-scheme', 'require-pkce'),
  threat(
    'RFC 6819 4.4.1.7',
    'Code leakage through a counterfeit client',
    'code-redirect-binding',
    'strict-redirect-uri',
    'require-pkce',
  ),
  threat('RFC 6819 4.4.1.8', 'CSRF at the redirect URI', 'require-state', 'state-intact'),
  threat('RFC 6819 4.4.1.9', 'Clickjacking of the authorization', 'frame-protection'),
  threat('RFC 6819 4.4.1.10', 'Resource owner impersonation', 'user-consent', 'consent-ticket-once'),
  threat('RFC 6819 4.4.1.11', 'Exhausting resources', 'code-lifetime'),
  threat('RFC 6819 4.4.1.12', 'Manufactured codes', 'code-invented'),
  threat('RFC 6819 4.4.1.13', 'Code substitution', 'code-client-binding', 'nonce-returned', 'id-token-audience'),
  threat('RFC 6819 4.4.2.1', 'Access token leak in transport (implicit)', 'response-type-code', 'tls'),
  threat('RFC 6819 4.4.2.2', 'Access token leak in the history (implicit)', 'response-type-code'),
  threat(
    'RFC 6819 4.4.2.3',
    'A malicious client obtains authorization (implicit)',
    'response-type-code',
    'user-consent',
  ),
  threat('RFC 6819 4.4.2.4', 'Manipulated scripts (implicit)', 'response-type-code', 'tls'),
  threat('RFC 6819 4.4.2.5', 'CSRF (implicit)', 'response-type-code', 'require-state'),
  threat('RFC 6819 4.4.2.6', 'Token substitution (implicit)', 'response-type-code', 'validate-audience'),
  threat('RFC 6819 4.4.3', 'Resource owner password credentials', 'no-password-grant', 'password-grant-every-client'),
  threat('RFC 6819 4.5.1', 'Eavesdropping refresh tokens', 'tls', 'refresh-client-binding'),
  threat(
    'RFC 6819 4.5.2',
    'Obtaining refresh tokens from the database',
    'refresh-client-binding',
    'refresh-authentication',
  ),
  threat('RFC 6819 4.5.3', 'Guessing refresh tokens', 'token-entropy', 'refresh-authentication'),
  threat('RFC 6819 4.5.4', 'Refresh token phishing by a counterfeit server', 'tls', 'tls-certificate'),
  threat(
    'RFC 6819 4.6.1',
    'Eavesdropping access tokens in transport',
    'tls',
    'sender-constrained',
    'short-token-lifetime',
  ),
  threat('RFC 6819 4.6.2', 'Replay of requests', 'sender-constrained', 'dpop-proof', 'tls'),
  threat(
    'RFC 6819 4.6.3',
    'Guessing access tokens',
    'token-entropy',
    'signature-verified',
    'alg-none',
    'alg-confusion',
    'header-key-ignored',
  ),
  threat(
    'RFC 6819 4.6.4',
    'Access token phishing by a counterfeit resource server',
    'validate-audience',
    'resource-target',
    'sender-constrained',
  ),
  threat(
    'RFC 6819 4.6.5',
    'Abuse of a token by a legitimate client or server',
    'scope-enforced',
    'validate-audience',
    'token-passthrough',
  ),
  threat('RFC 6819 4.6.6', 'Confidential data in HTTP proxies', 'token-no-store', 'resource-no-store'),
  threat(
    'RFC 6819 4.6.7',
    'Tokens in log files and referrers',
    'no-token-in-query',
    'referrer-policy',
    'token-post-only',
  ),
];

/** How far a threat is mitigated, as far as was decided. */
export type ThreatState = 'mitigated' | 'partly' | 'open' | 'not judged';

/**
 * The state of a threat: mitigated when every control that applies passed, open when a critical one failed or none of
 * those that were decided passed, not judged when none was decided, partly otherwise.
 */
export function stateOfThreat({ controls }: Threat, verdicts: ReadonlyMap<string, VerdictKind>): ThreatState {
  const all = controls.map((control) => ({ control, kind: verdicts.get(control) ?? 'inconclusive' }));
  const of = (kind: VerdictKind) => all.filter((one) => one.kind === kind);
  const [passed, failed] = [of('passed'), of('failed')];
  if (passed.length + failed.length === 0) return 'not judged';
  if (passed.length === 0) return 'open';
  if (failed.some(({ control }) => describeControl(control).severity === 'critical')) return 'open';
  return failed.length + of('inconclusive').length === 0 ? 'mitigated' : 'partly';
}
