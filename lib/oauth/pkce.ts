import { encode } from 'jose/base64url';

/** A code verifier and its challenge (RFC 7636 section 4, S256). */
interface PkcePair {
  verifier: string;
  challenge: string;
}

/** Returns an unpredictable base64url text of 43 characters. It suits a state and a verifier (RFC 7636 section 4.1). */
export function generateRandomText(): string {
  return encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** Creates a new pair. Returns null on insecure pages, where browsers offer no cryptography. */
export async function createPkcePair(): Promise<PkcePair | null> {
  if (globalThis.crypto?.subtle === undefined) return null;
  const verifier = generateRandomText();
  return { verifier, challenge: await hashText(verifier) };
}

/** Returns the SHA-256 of a text as base64url: a PKCE challenge, or `ath` of a DPoP proof (RFC 9449 section 4.2). */
export async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return encode(new Uint8Array(digest));
}
