import type { JWK } from 'jose';
import type { PrivateJwk } from '@/lib/oauth/client/environment';

/** Returns the signature algorithm of a private key, or a default by its type. */
export const chooseAlgorithm = ({ alg, kty }: PrivateJwk): string =>
  alg ?? { EC: 'ES256', RSA: 'RS256', OKP: 'EdDSA' }[kty];

/**
 * Returns the public part of a key: the members that RFC 7518 section 6 calls public, and those that identify the key.
 */
export function selectPublicPart(key: PrivateJwk): JWK {
  const members = ['kty', 'crv', 'x', 'y', 'n', 'e', 'alg', 'kid', 'use'];
  return Object.fromEntries(Object.entries(key).filter(([name]) => members.includes(name)));
}
