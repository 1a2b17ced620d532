import { CompactSign, errors, exportJWK, generateKeyPair, type JWK } from 'jose';
import { encode } from 'jose/base64url';
import { findAlgorithm } from '@/lib/oauth/token/algorithms';
import type { ForgedParts, Signing } from '@/lib/oauth/token/forgeries';

/** A key that exists only in this page. An HMAC key is a secret, and equals its `publicJwk`. */
export interface ThrowAwayKey {
  alg: string;
  key: CryptoKey | Uint8Array;
  publicJwk: JWK;
}

/** Material to sign the token with. Each way of signing uses other members. */
export interface SigningMaterial {
  key: ThrowAwayKey | null;
  embedKey: boolean;
  /** For `confusion`, the text of the public key. For `secret`, the bytes of the secret. */
  secret: Uint8Array | null;
  /** HMAC algorithm, for `secret` and `confusion`. */
  hmac: string;
  /** Spelling of `alg`, for `none`. */
  none: string;
  /** Signature of the genuine token, for `kept`. */
  signature: string;
}

/** Parts to sign. A payload as text keeps all digits of its numbers. */
type WrittenParts = ForgedParts & { payloadText?: string };

/** Generates a key for an algorithm. Returns null if the browser lacks the algorithm, or the page is insecure. */
export async function generateThrowAwayKey(alg: string): Promise<ThrowAwayKey | null> {
  try {
    return await generateKey(alg);
  } catch {
    return null;
  }
}

async function generateKey(alg: string): Promise<ThrowAwayKey> {
  const secretBits = findAlgorithm(alg)?.secretBits;
  if (secretBits !== undefined) {
    const key = crypto.getRandomValues(new Uint8Array(secretBits / 8));
    return { alg, key, publicJwk: { kty: 'oct', k: encode(key), alg } };
  }
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: false });
  return { alg, key: privateKey, publicJwk: { ...(await exportJWK(publicKey)), alg, use: 'sig' } };
}

/**
 * Signs the token, or returns a sentence that names the missing part. `alg` of the header follows the way of signing,
 * except for `kept`.
 */
export async function signToken(
  signing: Signing,
  parts: WrittenParts,
  material: SigningMaterial,
): Promise<{ token: string } | { problem: string }> {
  const { key, embedKey, secret, hmac, none, signature } = material;
  if (signing === 'kept') return { token: `${encodeUnsigned(parts)}.${signature}` };
  if (signing === 'none') return { token: `${encodeUnsigned({ ...parts, header: { ...parts.header, alg: none } })}.` };
  if (signing === 'key') {
    if (key === null) return { problem: 'This browser has no key of that algorithm, or only on HTTPS pages.' };
    const own = embedKey ? { jwk: key.publicJwk } : {};
    return signParts({ ...parts, header: { ...parts.header, alg: key.alg, ...own } }, key.key);
  }
  if (secret === null || secret.length === 0) {
    return {
      problem: signing === 'secret' ? 'Type the secret to sign with.' : 'Give the public key to use as the secret.',
    };
  }
  return signParts({ ...parts, header: { ...parts.header, alg: hmac } }, secret);
}

const encodeUnsigned = ({ header, ...payload }: WrittenParts) =>
  [JSON.stringify(header), formatPayload(payload)].map((part) => encode(part)).join('.');

const formatPayload = ({ payload, payloadText }: Omit<WrittenParts, 'header'>) =>
  payloadText ?? JSON.stringify(payload);

async function signParts(
  { header, ...payload }: WrittenParts,
  key: CryptoKey | Uint8Array,
): Promise<{ token: string } | { problem: string }> {
  const alg = String(header.alg);
  const extensions = Object.fromEntries([header.crit].flat().map((name) => [String(name), true]));
  try {
    const token = await new CompactSign(new TextEncoder().encode(formatPayload(payload)))
      .setProtectedHeader({ ...header, alg })
      .sign(key, { crit: extensions });
    return { token };
  } catch (error) {
    return { problem: error instanceof errors.JOSEError ? error.message : `This browser cannot sign with ${alg}.` };
  }
}
