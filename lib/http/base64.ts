/**
 * Strict decoders (RFC 4648 section 3.5). Node skips characters outside the alphabet, ignores padding and drops stray
 * bits, so one value would have many spellings.
 * These decoders accept exactly one spelling of each value.
 */

/** Decodes base64url without padding (RFC 4648 section 5). Returns null for every other spelling of the same bytes. */
export function decodeBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

/** Decodes base64 with padding (RFC 4648 section 4). Returns null for every other spelling of the same bytes. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** Checks whether every segment of a compact JWS or JWE is canonical base64url (RFC 7515 section 2). */
export function hasCanonicalSegments(token: string): boolean {
  return token.split('.').every((segment) => decodeBase64url(segment) !== null);
}
