import { encode } from 'jose/base64url';

/** A code verifier and what an authorization request shows of it (RFC 7636 section 4, S256). */
export interface PkcePair {
  verifier: string;
  challenge: string;
}

/** Unpredictable text of 43 characters, base64url: enough for a state and for a verifier (RFC 7636 section 4.1). */
export function randomText(): string {
  return encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** A fresh pair; null on insecure pages, where browsers offer no cryptography. */
export async function pkcePair(): Promise<PkcePair | null> {
  if (globalThis.crypto?.subtle === undefined) return null;
  const verifier = randomText();
  return { verifier, challenge: await sha256Text(verifier) };
}

/** The SHA-256 of a text as base64url: a challenge of PKCE, and `ath` of a DPoP proof (RFC 9449 section 4.2). */
export async function sha256Text(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return encode(new Uint8Array(digest));
}
