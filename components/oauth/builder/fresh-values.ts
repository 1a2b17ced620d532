import * as base64url from 'jose/base64url';
import type { PkcePair } from '@/components/oauth/builder/builder-state';
import { FRESH, isGenerated } from '@/lib/oauth/builder/builder-request';

/** Unpredictable text of 43 characters, base64url: enough for a state and for a verifier (RFC 7636 section 4.1). */
export function randomText(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}

/** A verifier and its S256 challenge; null on insecure pages, where browsers offer no cryptography. */
export async function pkcePair(): Promise<PkcePair | null> {
  if (!globalThis.isSecureContext) return null;
  const verifier = randomText();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64url.encode(new Uint8Array(digest)) };
}

/** Fresh values for some parameters of the authorization request, and the pair behind a challenge among them. */
export async function freshValues(names: readonly (typeof FRESH)[number][]) {
  const pair = names.includes('code_challenge') ? await pkcePair() : null;
  const fields: Record<string, string> = {
    ...(names.includes('state') ? { state: randomText() } : {}),
    ...(pair === null ? {} : { code_challenge: pair.challenge, code_challenge_method: 'S256' }),
  };
  return { fields, pair };
}

/** What a client would make anew for the next flow: whatever was generated, and nothing that was typed or left out. */
export const generatedFields = (fields: Readonly<Record<string, string>>) =>
  FRESH.filter((name) => isGenerated(fields[name] ?? ''));
