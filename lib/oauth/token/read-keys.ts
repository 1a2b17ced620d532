import type { JWK } from 'jose';
import { encode } from 'jose/base64url';
import { z } from 'zod';
import { isJsonObject, parseJson } from '@/lib/json';
import type { KeyType } from '@/lib/oauth/token/algorithms';
import { readBase64url } from '@/lib/oauth/token/read-base64url';
import { readPemKeys } from '@/lib/oauth/token/read-pem';

/** Maximum length of a text that is read as keys, in characters, and maximum number of keys in it. */
export const LONGEST_KEYS = 262_144;
const MOST_KEYS = 50;

/** A key for verification: a JWK without private members. */
export const KeyToVerify = z
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

const createProblem = (problem: string): KeysReading => ({ ok: false, problem });
const PRIVATE = 'It holds a private key. Only the public half is used; never paste one that is in use.';

/** Reads a JWKS, a JWK, or PEM (SPKI, certificate, PKCS #8, PKCS #1, SEC 1), also PEM without its lines. Never throws. */
export async function readKeys(text: string): Promise<KeysReading> {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_KEYS) return createProblem('The text is too long to be a set of keys.');
  if (/^[[{]/.test(trimmed)) return readJwks(trimmed);
  if (trimmed.includes('-----BEGIN ')) return readPem(trimmed);
  const bare = await readPemKeys(trimmed, MOST_KEYS);
  if (bare.ok) return readPem(trimmed);
  return createProblem('This is neither a JWKS or JWK (JSON) nor PEM (“-----BEGIN …”).');
}

/** Converts a shared secret to a key, from its UTF-8 bytes or from base64url. */
export function convertSecretToKey(secret: string, isBase64url: boolean): KeysReading {
  const bytes = isBase64url ? readBase64url(secret).bytes : new TextEncoder().encode(secret);
  if (bytes === null) return createProblem('The secret is not base64url.');
  return { ok: true, keys: [{ kty: 'oct', k: encode(bytes) }], notes: [] };
}

/** Reads a shared secret in every form that it may have: its text, the bytes in base64 or base64url, and in hex. */
export function readSecret(secret: string): KeysReading {
  const text = convertSecretToKey(secret, false);
  const decoded = convertSecretToKey(secret.trim(), true);
  const hex = /^(?:[0-9a-f]{2})+$/i.test(secret.trim()) ? secret.trim().match(/../g) : null;
  const forms: KeyToVerify[] = [
    ...(text.ok ? text.keys : []),
    ...(decoded.ok ? decoded.keys.map((key) => ({ ...key, form: 'base64' })) : []),
    ...(hex === null
      ? []
      : [{ kty: 'oct' as const, form: 'hex', k: encode(Uint8Array.from(hex, (byte) => Number.parseInt(byte, 16))) }]),
  ];
  return { ok: true, keys: forms, notes: [] };
}

/** Reads keys of any form. What is neither JSON nor PEM is a shared secret. */
export async function readKeysOrSecret(text: string): Promise<KeysReading> {
  const isMarked = /^[[{]|-----BEGIN /.test(text.trim());
  const keys = await readKeys(text);
  return keys.ok || isMarked || text.trim().length > LONGEST_KEYS ? keys : readSecret(text);
}

/** Reads private keys and secrets of any form, to decrypt with. */
export async function readSecretKeys(text: string): Promise<JWK[]> {
  const trimmed = text.trim();
  if (/^[[{]/.test(trimmed)) {
    const list = (value: unknown): unknown[] =>
      isJsonObject(value) && Array.isArray(value.keys) ? value.keys : [value].flat();
    const keys = list(parseJson(trimmed)).flatMap((key) => JsonKey.safeParse(key).data ?? []);
    return keys.slice(0, MOST_KEYS);
  }
  const pem = await readPemKeys(trimmed, MOST_KEYS);
  if (pem.ok) return pem.keys.map(({ key }) => key);
  const secret = readSecret(text);
  return secret.ok ? secret.keys.map(({ kty, k }) => ({ kty, k })) : [];
}

const JsonKey = z.looseObject({ kty: z.string() });

function readJwks(text: string): KeysReading {
  const value = parseJson(text);
  if (value === undefined) return createProblem('This is not JSON.');
  const list: unknown = isJsonObject(value) && 'keys' in value ? value.keys : [value].flat();
  if (!Array.isArray(list)) return createProblem('“keys” is not a list (RFC 7517 section 5).');
  // Unreadable keys are ignored (RFC 7517 section 5).
  const keys = list.slice(0, MOST_KEYS).flatMap((key: unknown) => KeyToVerify.safeParse(key).data ?? []);
  const ignored = Math.min(list.length, MOST_KEYS) - keys.length;
  if (keys.length === 0) return createProblem('There is no key in it whose type is RSA, EC, OKP or oct.');
  const hasPrivate = list.some((key: unknown) => isJsonObject(key) && 'd' in key);
  const unread = ignored > 0 ? [`${ignored} of its keys have an unknown type and are ignored.`] : [];
  return { ok: true, keys, notes: [...unread, ...(hasPrivate ? [PRIVATE] : [])] };
}

async function readPem(text: string): Promise<KeysReading> {
  const pem = await readPemKeys(text, MOST_KEYS);
  if (!pem.ok) return pem;
  const keys: KeyToVerify[] = [];
  const notes: string[] = [];
  for (const { key, label } of pem.keys) {
    keys.push(KeyToVerify.parse(key));
    if (label === 'CERTIFICATE')
      notes.push('The key of the certificate is used. Its chain and its dates are not checked.');
    if (label.endsWith('PRIVATE KEY')) notes.push(PRIVATE);
  }
  return { ok: true, keys, notes: [...new Set(notes)] };
}

/** Returns the bits of an RSA modulus or of a secret. Returns null for curves. */
export function countBits({ kty, n, k }: KeyToVerify): number | null {
  const { bytes } = readBase64url((kty === 'RSA' ? n : k) ?? '');
  if (bytes === null || (kty !== 'RSA' && kty !== 'oct')) return null;
  const lead = kty === 'RSA' ? Math.clz32(bytes[0] ?? 0) - 24 : 0;
  return bytes.length * 8 - lead;
}

/** Describes a key: `RSA key of 2048 bits (kid "a")`. */
export function describeKey(key: KeyToVerify): string {
  const kind: Record<KeyType, string> = {
    RSA: `RSA key of ${countBits(key) ?? 0} bits`,
    EC: `${key.crv ?? 'EC'} key`,
    OKP: `${key.crv ?? 'OKP'} key`,
    oct: `secret of ${countBits(key) ?? 0} bits${key.form === undefined ? '' : `, read as ${String(key.form)}`}`,
  };
  return key.kid === undefined ? kind[key.kty] : `${kind[key.kty]} (kid ${JSON.stringify(key.kid.slice(0, 64))})`;
}
