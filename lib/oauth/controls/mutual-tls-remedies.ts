import type { Remedy } from '@/lib/oauth/controls/remedy';

/** Remedies for the controls of mutual TLS (RFC 8705), by id. */
export const MUTUAL_TLS_REMEDIES: Readonly<Record<string, Remedy>> = {
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
