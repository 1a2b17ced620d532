import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a secret with 256 bits of randomness, base64url: what the database keeps instead of it. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('base64url');
}

/** Compares a given secret with a known one in a time that tells nothing about either, whatever their lengths. */
export function isSameSecret(given: string, known: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(given), digest(known));
}
