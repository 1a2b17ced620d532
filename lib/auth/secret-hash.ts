import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a secret. */
export function digestSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** SHA-256 of a secret with 256 bits of randomness, base64url: what the database keeps instead of it. */
export function hashSecret(secret: string): string {
  return digestSecret(secret).toString('base64url');
}

const digests = new Map<string, Buffer>();

/**
 * Compares the digest of a given secret with a configured one in constant time, whatever their lengths. The digests of
 * configured secrets are cached: a process has a few.
 */
export function isConfiguredSecret(given: Buffer, configured: string): boolean {
  let digest = digests.get(configured);
  if (digest === undefined) {
    digest = digestSecret(configured);
    digests.set(configured, digest);
  }
  return timingSafeEqual(given, digest);
}
