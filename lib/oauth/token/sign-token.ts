import { CompactSign, errors, exportJWK, generateKeyPair, type JWK } from 'jose';
import { encode } from 'jose/base64url';
import { findAlgorithm } from '@/lib/oauth/token/algorithms';
import type { ForgedParts, Signing } from '@/lib/oauth/token/forgeries';

/** A key that exists in this page only. For HMAC it is a secret, with itself as `publicJwk`. */
export interface ThrowAwayKey {
  alg: string;
  key: CryptoKey | Uint8Array;
  publicJwk: JWK;
}

/** What the token is signed with, by the way of signing. */
export interface SigningMaterial {
  key: ThrowAwayKey | null;
  embedKey: boolean;
  /** `confusion`: the text of the public key. `secret`: the secret's bytes. */
  secret: Uint8Array | null;
  /** `secret` and `confusion`: the HMAC. */
  hmac: string;
  /** `none`: how `alg` is spelt. */
  none: string;
  /** `kept`: the signature of the genuine token. */
  signature: string;
}

/** A fresh key for an algorithm; null where the browser does not have it, or has none on an insecure page. */
export async function generateThrowAwayKey(alg: string): Promise<ThrowAwayKey | null> {
  try {
    return await generated(alg);
  } catch {
    return null;
  }
}

async function generated(alg: string): Promise<ThrowAwayKey> {
  const secretBits = findAlgorithm(alg)?.secretBits;
  if (secretBits !== undefined) {
    const key = crypto.getRandomValues(new Uint8Array(secretBits / 8));
    return { alg, key, publicJwk: { kty: 'oct', k: encode(key), alg } };
  }
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: false });
  return { alg, key: privateKey, publicJwk: { ...(await exportJWK(publicKey)), alg, use: 'sig' } };
}

/** The token, or a sentence that says what is missing. The header's `alg` follows the way of signing, unless kept. */
export async function signToken(
  signing: Signing,
  parts: ForgedParts,
  material: SigningMaterial,
): Promise<{ token: string } | { problem: string }> {
  const { key, embedKey, secret, hmac, none, signature } = material;
  if (signing === 'kept') return { token: `${unsigned(parts)}.${signature}` };
  if (signing === 'none') return { token: `${unsigned({ ...parts, header: { ...parts.header, alg: none } })}.` };
  if (signing === 'key') {
    if (key === null) return { problem: 'This browser has no key of that algorithm, or only on HTTPS pages.' };
    const own = embedKey ? { jwk: key.publicJwk } : {};
    return signed({ ...parts, header: { ...parts.header, alg: key.alg, ...own } }, key.key);
  }
  if (secret === null || secret.length === 0) {
    return {
      problem: signing === 'secret' ? 'Type the secret to sign with.' : 'Give the public key to use as the secret.',
    };
  }
  return signed({ ...parts, header: { ...parts.header, alg: hmac } }, secret);
}

const unsigned = ({ header, payload }: ForgedParts) =>
  [header, payload].map((part) => encode(JSON.stringify(part))).join('.');

async function signed(
  { header, payload }: ForgedParts,
  key: CryptoKey | Uint8Array,
): Promise<{ token: string } | { problem: string }> {
  const alg = String(header.alg);
  const extensions = Object.fromEntries([header.crit].flat().map((name) => [String(name), true]));
  try {
    const token = await new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
      .setProtectedHeader({ ...header, alg })
      .sign(key, { crit: extensions });
    return { token };
  } catch (error) {
    return { problem: error instanceof errors.JOSEError ? error.message : `This browser cannot sign with ${alg}.` };
  }
}
