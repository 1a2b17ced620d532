import { hashSecret } from '@/lib/auth/secret-hash';
import { formatTimestamp, formatTimestampOrNull } from '@/lib/contract/fields/timestamp';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** Creates the columns that every row of a change has. */
export function buildRowColumns({ now, actor }: Pick<Context, 'now' | 'actor'>, revision: number) {
  return { createdAt: now, createdBy: actor.name, revision };
}

/** Returns the mark of a row that a state document manages. */
export function buildManagedMark({ managed }: { managed: boolean }): { managed?: true } {
  return managed ? { managed } : {};
}

/** Converts expiry and origin of a row to their public form. */
export function buildLifetime(row: { expiresAt: Millis | null; createdAt: Millis; createdBy: string }) {
  const origin = { created_at: formatTimestamp(row.createdAt), created_by: row.createdBy };
  return { expires_at: formatTimestampOrNull(row.expiresAt), ...origin };
}

/**
 * Creates a UUID of version 7 (RFC 9562 section 5.7) that sorts by creation, even within one millisecond.
 * The revision, which every change increments, precedes the random bits (section 6.2, method 1).
 */
export function createOrderedId(now: Millis, revision: number, randomBytes: (size: number) => Uint8Array): string {
  const bytes = new Uint8Array(16);
  bytes.set(randomBytes(5), 11);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(now / 2 ** 32));
  view.setUint32(2, now % 2 ** 32);
  // The revision takes 36 bits: 12 next to the version, 24 after the variant.
  view.setUint16(6, 0x7000 | (Math.floor(revision / 2 ** 24) & 0xfff));
  view.setUint8(8, 0x80 | ((revision / 2 ** 18) & 0x3f));
  view.setUint8(9, (revision / 2 ** 10) & 0xff);
  view.setUint8(10, (revision / 2 ** 2) & 0xff);
  view.setUint8(11, ((revision & 0x3) << 6) | (view.getUint8(11) & 0x3f));
  return formatUuid(bytes);
}

/** Creates a UUID of version 4 (RFC 9562 section 5.4). */
export function createRandomUuid(randomBytes: (size: number) => Uint8Array): string {
  const bytes = Uint8Array.from(randomBytes(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return formatUuid(bytes);
}

function formatUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Characters of a secret that stay visible: the prefix and eight more. 208 of its 256 random bits stay hidden. */
const SHOWN_LENGTH = 12;

/**
 * Creates a secret of 256 random bits in base64url after a prefix, and its stored parts. Only the caller sees the
 * secret.
 */
export function createPrefixedSecret(prefix: 'slk_' | 'slt_', randomBytes: (size: number) => Uint8Array) {
  const secret = prefix + Buffer.from(randomBytes(32)).toString('base64url');
  return { secret, prefix: secret.slice(0, SHOWN_LENGTH), secretHash: hashSecret(secret) };
}
