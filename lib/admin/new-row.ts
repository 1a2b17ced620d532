import { hashSecret } from '@/lib/auth/secret-hash';
import { toInstant, toInstantOrNull } from '@/lib/contract/fields/instant';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** The columns that every row a change creates begins with. */
export function newRow({ now, actor }: Pick<Context, 'now' | 'actor'>, revision: number) {
  return { createdAt: now, createdBy: actor.name, revision };
}

/** The mark of a row that a state document has named. */
export function toMark({ managed }: { managed: boolean }): { managed?: true } {
  return managed ? { managed } : {};
}

/** Expiry and origin of a row as they leave Sluice. */
export function toLifetime(row: { expiresAt: Millis | null; createdAt: Millis; createdBy: string }) {
  const origin = { created_at: toInstant(row.createdAt), created_by: row.createdBy };
  return { expires_at: toInstantOrNull(row.expiresAt), ...origin };
}

/**
 * A UUID of version 7 (RFC 9562 section 5.7) whose order is the order of creation also within one millisecond: the
 * revision, which every change raises, stands before the random bits (section 6.2, method 1).
 */
export function orderedId(now: Millis, revision: number, randomBytes: (size: number) => Uint8Array): string {
  const bytes = new Uint8Array(16);
  bytes.set(randomBytes(5), 11);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(now / 2 ** 32));
  view.setUint32(2, now % 2 ** 32);
  // 36 bits of the revision: 12 beside the version, 24 after the variant.
  view.setUint16(6, 0x7000 | (Math.floor(revision / 2 ** 24) & 0xfff));
  view.setUint8(8, 0x80 | ((revision / 2 ** 18) & 0x3f));
  view.setUint8(9, (revision / 2 ** 10) & 0xff);
  view.setUint8(10, (revision / 2 ** 2) & 0xff);
  view.setUint8(11, ((revision & 0x3) << 6) | (view.getUint8(11) & 0x3f));
  return uuidOf(bytes);
}

/** A UUID of version 4 (RFC 9562 section 5.4). */
export function randomUuid(randomBytes: (size: number) => Uint8Array): string {
  const bytes = Uint8Array.from(randomBytes(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return uuidOf(bytes);
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Of a secret, the prefix and eight characters: 208 of its 256 random bits stay unseen. */
const SHOWN_LENGTH = 12;

/** A secret, 256 random bits in base64url behind a prefix, which is shown once; and what is kept of it. */
export function newSecret(prefix: 'slk_' | 'slt_', randomBytes: (size: number) => Uint8Array) {
  const secret = prefix + Buffer.from(randomBytes(32)).toString('base64url');
  return { secret, prefix: secret.slice(0, SHOWN_LENGTH), secretHash: hashSecret(secret) };
}
