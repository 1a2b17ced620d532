import type { FlattenedJWSInput } from 'jose';
import { encode } from 'jose/base64url';
import type { SignatureAlgorithm } from '@/lib/oauth/token/algorithms';
import { unwrapEcdsaSignature } from '@/lib/oauth/token/der';
import { readBase64url } from '@/lib/oauth/token/read-base64url';
import type { KeyToVerify } from '@/lib/oauth/token/read-keys';

const BITS = [256, 384, 512] as const;
/** Bytes of each number in an ECDSA signature, by curve (RFC 7518 section 3.4). */
const NUMBER_SIZES: Readonly<Record<string, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 };

/** Signed bytes, and the signature. */
interface Signed {
  data: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
}

/**
 * Returns why a signature does not match a key that fits, in a sentence: a common mistake under which it does match. Null
 * if none explains it.
 */
export async function explainMismatch(
  { protected: header = '', payload, signature }: FlattenedJWSInput,
  keys: readonly KeyToVerify[],
  algorithm: SignatureAlgorithm,
): Promise<string | null> {
  const { bytes } = readBase64url(signature);
  if (bytes === null || typeof payload !== 'string') return null;
  const data = Uint8Array.from(new TextEncoder().encode(`${header}.${payload}`));
  const signed = { data, signature: Uint8Array.from(bytes) };
  for (const key of keys.slice(0, 5)) {
    const why = await explainByType(signed, key, algorithm).catch(() => null);
    if (why !== null) return why;
  }
  return null;
}

async function explainByType(signed: Signed, key: KeyToVerify, algorithm: SignatureAlgorithm): Promise<string | null> {
  switch (algorithm.kty) {
    case 'EC':
      return explainEcdsa(signed, key, algorithm);
    case 'RSA':
      return explainRsa(signed, key, algorithm);
    case 'oct':
      return explainHmac(signed, key, algorithm);
    case 'OKP':
      return null;
  }
}

async function explainEcdsa({ data, signature }: Signed, key: KeyToVerify, { name }: SignatureAlgorithm) {
  const size = NUMBER_SIZES[key.crv ?? ''];
  if (size === undefined) return null;
  const { kty, crv, x, y } = key;
  const isMatch = async (bytes: Uint8Array<ArrayBuffer>, bits: number) => {
    const jwk = { kty, crv, x: String(x), y: String(y) };
    const imported = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: String(crv) }, false, [
      'verify',
    ]);
    return crypto.subtle.verify({ name: 'ECDSA', hash: `SHA-${bits}` }, imported, bytes, data);
  };
  const bits = Number(name.slice(2));
  const unwrapped = unwrapEcdsaSignature(signature, size);
  if (unwrapped !== null && (await isMatch(Uint8Array.from(unwrapped), bits)))
    return 'It is DER-encoded, as OpenSSL writes it. JWS has its two numbers side by side (RFC 7518 section 3.4); written so, it matches.';
  for (const other of BITS)
    if (other !== bits && (await isMatch(signature, other)))
      return `It matches with SHA-${other}, which ${name} does not use.`;
  return null;
}

async function explainRsa({ data, signature }: Signed, { kty, n, e }: KeyToVerify, { name }: SignatureAlgorithm) {
  const jwk = { kty, n, e: String(e) };
  const importAs = (scheme: string, bits: number) =>
    crypto.subtle.importKey('jwk', jwk, { name: scheme, hash: `SHA-${bits}` }, false, ['verify']);
  const own = Number(name.slice(2));
  for (const bits of [own, ...BITS.filter((other) => other !== own)]) {
    const pkcs1 = await importAs('RSASSA-PKCS1-v1_5', bits);
    if (name !== `RS${bits}` && (await crypto.subtle.verify('RSASSA-PKCS1-v1_5', pkcs1, signature, data)))
      return `It is one of RS${bits}, and the token says ${name}.`;
    const pss = await importAs('RSA-PSS', bits);
    const longest = signature.length - bits / 8 - 2;
    for (let saltLength = 0; saltLength <= longest; saltLength++) {
      if (name === `PS${bits}` && saltLength === bits / 8) continue;
      if (!(await crypto.subtle.verify({ name: 'RSA-PSS', saltLength }, pss, signature, data))) continue;
      if (name !== `PS${bits}`)
        return `It is one of PS${bits} with a salt of ${saltLength} bytes, and the token says ${name}.`;
      return `It matches with a salt of ${saltLength} bytes. ${name} needs one as long as its hash, ${bits / 8} bytes (RFC 7518 section 3.5).`;
    }
  }
  return null;
}

async function explainHmac({ data, signature }: Signed, { k }: KeyToVerify, { name }: SignatureAlgorithm) {
  const { bytes } = readBase64url(k ?? '');
  if (bytes === null) return null;
  const isMatch = async (secret: Uint8Array, bits: number) => {
    if (secret.length === 0) return false;
    const hmac = { name: 'HMAC', hash: `SHA-${bits}` };
    const key = await crypto.subtle.importKey('raw', Uint8Array.from(secret), hmac, false, ['verify']);
    return crypto.subtle.verify('HMAC', key, signature, data);
  };
  const own = Number(name.slice(2));
  for (const [what, secret] of listVariants(bytes))
    if (await isMatch(secret, own)) return `It matches the secret ${what}.`;
  for (const bits of BITS)
    if (bits !== own && (await isMatch(bytes, bits))) return `It is one of HS${bits}, and the token says ${name}.`;
  return null;
}

/** Lists variants of a secret that clients sign with by mistake, each with a description of the difference. */
function listVariants(secret: Uint8Array): [string, Uint8Array][] {
  const text = new TextDecoder().decode(secret);
  const encoder = new TextEncoder();
  const trimmed = text.trim();
  const hex = /^(?:[0-9a-f]{2})+$/i.test(trimmed) ? (trimmed.match(/../g) ?? []) : [];
  const variants: [string, Uint8Array | null][] = [
    ['with a line break at its end', encoder.encode(`${text}\n`)],
    ['with the line break of Windows at its end', encoder.encode(`${text}\r\n`)],
    ['without its last line break', encoder.encode(text.replace(/\r?\n$/, ''))],
    ['without the spaces around it', encoder.encode(trimmed)],
    ['read as base64', readBase64url(trimmed).bytes],
    ['read as hex', Uint8Array.from(hex, (byte) => Number.parseInt(byte, 16))],
    ['written in base64url', encoder.encode(encode(secret))],
    ['written in base64', encoder.encode(btoa(String.fromCharCode(...secret.subarray(0, 4_096))))],
  ];
  return variants.flatMap(([what, bytes]) => (bytes === null ? [] : [[what, bytes]]));
}
