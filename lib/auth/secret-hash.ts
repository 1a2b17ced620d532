import { hash, timingSafeEqual } from 'node:crypto';

/** Computes the SHA-256 of a secret. */
export function digestSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/**
 * Computes the SHA-256 of a secret with 256 random bits, in base64url. The database stores it in place of the secret.
 */
export function hashSecret(secret: string): string {
  return digestSecret(secret).toString('base64url');
}

const digests = new Map<string, Buffer>();

/**
 * Compares the digest of a given secret with a configured one in constant time, regardless of their lengths. The
 * digests of configured secrets are cached, because a process has only a few.
 */
export function isConfiguredSecret(presented: Buffer, configured: string): boolean {
  let digest = digests.get(configured);
  if (digest === undefined) {
    digest = digestSecret(configured);
    digests.set(configured, digest);
  }
  return timingSafeEqual(presented, digest);
}
