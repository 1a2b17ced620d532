import type { Remedy } from '@/lib/oauth/controls/remedies/remedy';

/** Remedies for the controls of the area transport, by id. */
export const TRANSPORT_REMEDIES: Readonly<Record<string, Remedy>> = {
  tls: { change: 'Serve every endpoint by https only.' },
  'tls-version': { change: 'Switch TLS 1.0 and 1.1 off.' },
  'tls-certificate': { change: 'Serve a certificate that browsers trust, for the right name, in time.' },
  'tls-ciphers': { change: 'Offer AEAD cipher suites with forward secrecy only.' },
  'metadata-consistent': { change: 'Advertise exactly what the server does; make the issuer equal to its own URL.' },
  'jwks-strength': { change: 'Publish RSA keys of at least 2048 bits or EC keys, and no private or symmetric ones.' },
  'cors-token-endpoint': {
    change: 'Allow browser clients without credentials; never answer Access-Control-Allow-Credentials to any origin.',
  },
  'forwarded-host': {
    change: 'Configure the issuer; believe X-Forwarded-Host and Forwarded only from a proxy that overwrites them.',
  },
  'pkce-advertised': { change: 'Publish code_challenge_methods_supported with S256.' },
};
