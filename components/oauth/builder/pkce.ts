/** Unpredictable text of 43 characters, base64url: enough for a state and for a verifier (RFC 7636 section 4.1). */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * A verifier and its S256 challenge (RFC 7636 section 4.2), or null where the browser has no cryptography: it only gives
 * it to pages that came over https or from this machine.
 */
export async function pkcePair(): Promise<{ verifier: string; challenge: string } | null> {
  if (!globalThis.isSecureContext) return null;
  const verifier = randomText();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(digest)) };
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
