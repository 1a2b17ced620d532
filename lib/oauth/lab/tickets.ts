import { createHash, timingSafeEqual } from 'node:crypto';
import { base64url } from 'jose';
import type { LabServices, Ticket, TicketKind } from '@/lib/oauth/lab/services';

/** How the secrets of each kind begin, so that a leaked one is recognised. */
const TAGS = { code: 'slc_', refresh: 'slr_', consent: 'slk_', par: 'urn:ietf:params:oauth:request_uri:' };

/**
 * A new secret that works once: a tag that says what it is, and 256 bits (RFC 6749 section 10.10). Only its hash is kept.
 * @param payload what it stands for, as JSON
 */
export async function handOut(
  lab: LabServices,
  kind: keyof typeof TAGS,
  payload: unknown,
  seconds: number,
): Promise<string> {
  const secret = `${TAGS[kind]}${base64url.encode(lab.random(32))}`;
  const createdAt = lab.now();
  const expiresAt = createdAt + seconds * 1000;
  await lab.state.put({ kind, hash: hashSecret(secret), payload: JSON.stringify(payload), createdAt, expiresAt });
  return secret;
}

/** The ticket behind a secret, used or not; null for an unknown or expired one. */
export async function readTicket(lab: LabServices, kind: TicketKind, secret: string): Promise<Ticket | null> {
  const ticket = await lab.state.read(kind, hashSecret(secret));
  return ticket !== null && ticket.expiresAt > lab.now() ? ticket : null;
}

export function newId(lab: LabServices): string {
  return base64url.encode(lab.random(16));
}

/** What is stored in place of a secret: its SHA-256, base64url. It is the S256 of RFC 7636, too. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** `at_hash` of an ID token signed with a 256-bit algorithm (OpenID Connect Core section 3.1.3.6). */
export function accessTokenHash(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
