import type { PrivateJwk } from '@/lib/oauth/client/environment';

/** How a private key signs where it does not say so itself. */
export const algorithmOf = ({ alg, kty }: PrivateJwk): string =>
  alg ?? { EC: 'ES256', RSA: 'RS256', OKP: 'EdDSA' }[kty];
