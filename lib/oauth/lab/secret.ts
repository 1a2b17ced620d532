import { createHash, timingSafeEqual } from 'node:crypto';
import { base64url } from 'jose';
import type { LabServices } from '@/lib/oauth/lab/services';

/** A new unguessable value: a tag that says what it is, and 256 bits (RFC 6749 section 10.10). */
export function newSecret(lab: LabServices, tag: string): string {
  return `${tag}${base64url.encode(lab.random(32))}`;
}

/** What is stored in place of a secret: its SHA-256, base64url. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
