import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { decodeBase64url } from '@/lib/http/base64';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives a key from the authentication secret (HKDF, RFC 5869). @param purpose separates the keys of two uses */
export function deriveKey(authSecret: string, purpose: string, bytes = 32): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', authSecret, '', purpose, bytes));
}

interface Sealing {
  /** 32 bytes. */
  key: Uint8Array;
  /** Row that the text belongs to. Sealed text does not open in another row. */
  place: string;
}

/** Seals text with AES-256-GCM: nonce, tag and ciphertext, in base64url. */
export function seal(text: string, { key, place }: Sealing, randomBytes: (size: number) => Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
  const body = cipher.update(text, 'utf8');
  // GCM pads nothing, so the last part is empty.
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/**
 * Opens sealed text.
 * @throws Error if the key, the place or any character differs: each sealed value has one spelling
 */
export function unseal(sealed: string, { key, place }: Sealing): string {
  const bytes = decodeBase64url(sealed);
  if (bytes === null) throw new Error('The sealed text is not in its one spelling.');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8');
  // Throws if the tag does not match.
  return text + decipher.final('utf8');
}
