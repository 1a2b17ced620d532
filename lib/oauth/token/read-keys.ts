import { exportJWK, importPKCS8, importSPKI, importX509 } from 'jose';
import { encode } from 'jose/base64url';
import { z } from 'zod';
import type { KeyType } from '@/lib/oauth/token/algorithms';
import { isMembers } from '@/lib/oauth/token/members';
import { readBase64url } from '@/lib/oauth/token/read-base64url';

/** Maximum length of a text that is read as keys, in characters, and maximum number of keys in it. */
export const LONGEST_KEYS = 262_144;
const MOST_KEYS = 50;

/** A key for verification: a JWK without private members. */
const KeyToVerify = z
  .looseObject({
    kty: z.enum(['RSA', 'EC', 'OKP', 'oct']),
    kid: z.string().optional(),
    alg: z.string().optional(),
    use: z.string().optional(),
    crv: z.string().optional(),
    n: z.string().optional(),
    k: z.string().optional(),
  })
  .transform(({ d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, oth: _oth, key_ops: _ops, ...key }) => key);
export type KeyToVerify = z.output<typeof KeyToVerify>;

/** Keys for verification, or a sentence that says why there are none. */
export type KeysReading =
  | { ok: true; keys: readonly KeyToVerify[]; notes: readonly string[] }
  | { ok: false; problem: string };

const refused = (problem: string): KeysReading => ({ ok: false, problem });
const PRIVATE = 'It holds a private key. Only the public half is used; never paste one that is in use.';

/** Reads a JWKS, a JWK, or PEM (SPKI, certificate, PKCS #8). Never throws. */
export async function readKeys(text: string): Promise<KeysReading> {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_KEYS) return refused('The text is too long to be a set of keys.');
  if (/^[[{]/.test(trimmed)) return readJwks(trimmed);
  if (trimmed.includes('-----BEGIN ')) return readPem(trimmed);
  return refused('This is neither a JWKS or JWK (JSON) nor PEM (“-----BEGIN …”).');
}

/** Converts a shared secret to a key, from its UTF-8 bytes or from base64url. */
export function secretAsKey(secret: string, isBase64url: boolean): KeysReading {
  const bytes = isBase64url ? readBase64url(secret).bytes : new TextEncoder().encode(secret);
  if (bytes === null) return refused('The secret is not base64url.');
  return { ok: true, keys: [{ kty: 'oct', k: encode(bytes) }], notes: [] };
}

function readJwks(text: string): KeysReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('This is not JSON.');
  }
  const list: unknown = isMembers(value) && 'keys' in value ? value.keys : [value].flat();
  if (!Array.isArray(list)) return refused('“keys” is not a list (RFC 7517 section 5).');
  // Unreadable keys are ignored (RFC 7517 section 5).
  const keys = list.slice(0, MOST_KEYS).flatMap((key: unknown) => KeyToVerify.safeParse(key).data ?? []);
  const ignored = Math.min(list.length, MOST_KEYS) - keys.length;
  if (keys.length === 0) return refused('There is no key in it whose type is RSA, EC, OKP or oct.');
  const hasPrivate = list.some((key: unknown) => isMembers(key) && 'd' in key);
  const unread = ignored > 0 ? [`${ignored} of its keys have an unknown type and are ignored.`] : [];
  return { ok: true, keys, notes: [...unread, ...(hasPrivate ? [PRIVATE] : [])] };
}

const CANDIDATES = ['RS256', 'ES256', 'ES384', 'ES512', 'Ed25519'];
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;

async function readPem(text: string): Promise<KeysReading> {
  const blocks = [...text.matchAll(BLOCK)].slice(0, MOST_KEYS);
  if (blocks.length === 0)
    return refused('The PEM is cut off: BEGIN and END lines with base64 between them are expected.');
  const keys: KeyToVerify[] = [];
  const notes: string[] = [];
  for (const [pem, label = ''] of blocks) {
    const key = await readBlock(pem, label);
    if (typeof key === 'string') return refused(key);
    keys.push(key);
    if (label === 'CERTIFICATE')
      notes.push('The key of the certificate is used. Its chain and its dates are not checked.');
    if (label.endsWith('PRIVATE KEY')) notes.push(PRIVATE);
  }
  return { ok: true, keys, notes: [...new Set(notes)] };
}

async function readBlock(pem: string, label: string): Promise<KeyToVerify | string> {
  if (label === 'PUBLIC KEY') return importByAnyAlgorithm((alg) => importSPKI(pem, alg, { extractable: true }));
  if (label === 'CERTIFICATE') return importByAnyAlgorithm((alg) => importX509(pem, alg, { extractable: true }));
  if (label === 'PRIVATE KEY') return importByAnyAlgorithm((alg) => importPKCS8(pem, alg, { extractable: true }));
  if (label === 'RSA PUBLIC KEY')
    return 'This is PKCS #1. Convert it: openssl rsa -RSAPublicKey_in -pubout -in key.pem';
  return `A PEM block “${label}” is not read. Paste the public key or the certificate.`;
}

/** Imports a PEM block. It does not name the algorithm that WebCrypto requires, so each one is tried. */
async function importByAnyAlgorithm(importAs: (alg: string) => Promise<CryptoKey>): Promise<KeyToVerify | string> {
  for (const alg of CANDIDATES) {
    try {
      return KeyToVerify.parse(await exportJWK(await importAs(alg)));
    } catch {
      // The key has another type.
    }
  }
  return 'The PEM holds no key that a browser can use: RSA, P-256, P-384, P-521 or Ed25519.';
}

/** Returns the bits of an RSA modulus or of a secret. Returns null for curves. */
export function bitsOf({ kty, n, k }: KeyToVerify): number | null {
  const { bytes } = readBase64url((kty === 'RSA' ? n : k) ?? '');
  if (bytes === null || (kty !== 'RSA' && kty !== 'oct')) return null;
  const lead = kty === 'RSA' ? Math.clz32(bytes[0] ?? 0) - 24 : 0;
  return bytes.length * 8 - lead;
}

/** Describes a key: `RSA key of 2048 bits (kid "a")`. */
export function nameOfKey(key: KeyToVerify): string {
  const kind: Record<KeyType, string> = {
    RSA: `RSA key of ${bitsOf(key) ?? 0} bits`,
    EC: `${key.crv ?? 'EC'} key`,
    OKP: `${key.crv ?? 'OKP'} key`,
    oct: `secret of ${bitsOf(key) ?? 0} bits`,
  };
  return key.kid === undefined ? kind[key.kty] : `${kind[key.kty]} (kid ${JSON.stringify(key.kid.slice(0, 64))})`;
}
