import { createHash, timingSafeEqual } from 'node:crypto';
import { base64url } from 'jose';
import type { LabServices, Ticket, TicketKind } from '@/lib/oauth/lab/services';

/** Prefixes of the secrets by kind. A leaked secret can be recognised by its prefix. */
const TAGS = {
  code: 'slc_',
  refresh: 'slr_',
  consent: 'slk_',
  par: 'urn:ietf:params:oauth:request_uri:',
  device: 'sld_',
  'device-consent': 'slk_',
  logout: 'slk_',
};

/**
 * Issues a single-use secret: a prefix and 256 random bits (RFC 6749 section 10.10). Only its hash is stored.
 * @param payload data that belongs to the secret, as JSON
 */
export async function issueSecret(
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

/** Returns the ticket of a secret, used or not. Returns null if it is unknown or expired. */
export async function readTicket(lab: LabServices, kind: TicketKind, secret: string): Promise<Ticket | null> {
  const ticket = await lab.state.read(kind, hashSecret(secret));
  return ticket !== null && ticket.expiresAt > lab.now() ? ticket : null;
}

export function generateId(lab: LabServices): string {
  return base64url.encode(lab.random(16));
}

/** Returns the stored form of a secret: its SHA-256, base64url. It equals S256 of RFC 7636. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Returns `at_hash` for an ID token signed with a 256-bit algorithm (OpenID Connect Core section 3.1.3.6). */
export function hashAccessToken(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
}

/** Compares two texts in constant time, so that the duration does not reveal the first difference. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
