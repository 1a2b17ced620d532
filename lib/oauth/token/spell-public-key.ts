import { exportSPKI, importJWK, type JWK } from 'jose';
import { decode, encode } from 'jose/base64url';
import { ALGORITHMS } from '@/lib/oauth/token/algorithms';

/** Formats of a public key that verifiers were seen to use as an HMAC secret (RFC 8725 section 2.1). */
const KEY_FORMATS = ['PEM', 'PKCS #1', 'X.509', 'DER', 'JWK', 'OpenSSH', 'bare'] as const;
export type KeyFormat = (typeof KEY_FORMATS)[number];

/** One way to write a public key, as the bytes of a secret. */
export interface KeySpelling {
  format: KeyFormat;
  /** Difference from other spellings of the format. */
  spelling: string;
  secret: Uint8Array;
}

/**
 * Lists every spelling of a public key that a faulty verifier might use as a secret. The first two are its PEM without
 * and with the last line break. Returns none for a secret, or for a key that cannot be read.
 */
export async function spellPublicKey(key: JWK): Promise<KeySpelling[]> {
  const spki = await exportDer(key);
  if (spki === null) return [];
  const pkcs1 = key.kty === 'RSA' ? encodeSequence(encodeInteger(key.n), encodeInteger(key.e)) : null;
  const [certificate] = Array.isArray(key.x5c) ? key.x5c : [];
  const x509 = certificate === undefined ? null : decodeBase64(certificate);
  const ders = { SPKI: spki, ...(pkcs1 && { 'PKCS #1': pkcs1 }), ...(x509 && { X509: x509 }) };
  return [
    ...listSpellings('PEM', spellPem('PUBLIC KEY', spki)),
    ...(pkcs1 === null ? [] : listSpellings('PKCS #1', spellPem('RSA PUBLIC KEY', pkcs1))),
    ...(x509 === null ? [] : listSpellings('X.509', spellPem('CERTIFICATE', x509))),
    ...listSpellings('DER', ders),
    ...listSpellings('JWK', spellJwk(key)),
    ...listSpellings('OpenSSH', spellSsh(key)),
    ...listSpellings('bare', spellValues(key)),
  ];
}

function listSpellings(format: KeyFormat, spellings: Record<string, string | Uint8Array>): KeySpelling[] {
  return Object.entries(spellings).map(([spelling, value]) => ({
    format,
    spelling,
    secret: typeof value === 'string' ? encodeText(value) : value,
  }));
}

const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text);
const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

function decodeBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text.replace(/\s/g, '')), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

async function exportDer(key: JWK): Promise<Uint8Array | null> {
  const alg = ALGORITHMS.find(({ kty, crv }) => kty === key.kty && (crv === undefined || crv === key.crv));
  if (alg === undefined || key.kty === 'oct') return null;
  const { alg: _, ...withoutAlgorithm } = key;
  const imported = await importJWK(withoutAlgorithm, alg.name, { extractable: true }).catch(() => null);
  if (imported === null || imported instanceof Uint8Array) return null;
  return decodeBase64((await exportSPKI(imported)).replace(/-----[^-]+-----/g, ''));
}

/** Spells a key in PEM (RFC 7468) as files, environment variables and settings hold it. */
function spellPem(label: string, der: Uint8Array): Record<string, string> {
  const body = encodeBase64(der);
  const wrapInPemLabels = (text: string) => `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----`;
  const pem = wrapInPemLabels(body.replace(/.{64}(?=.)/g, '$&\n'));
  const crlf = pem.replaceAll('\n', '\r\n');
  return {
    'without the last line break': pem,
    'with the last line break': `${pem}\n`,
    'with CRLF': crlf,
    'with CRLF and the last one': `${crlf}\r\n`,
    'after a line break': `\n${pem}`,
    'between line breaks': `\n${pem}\n`,
    'after a space': ` ${pem}`,
    'with its body on one line': wrapInPemLabels(body),
    'with its body on one line and the last line break': `${wrapInPemLabels(body)}\n`,
    'with escaped line breaks': pem.replaceAll('\n', '\\n'),
    'with escaped line breaks and the last one': `${pem}\n`.replaceAll('\n', '\\n'),
    'without any line break': pem.replaceAll('\n', ''),
    'its body': body,
    'its lines': body.replace(/.{64}(?=.)/g, '$&\n'),
    'its body in base64url': encode(der),
    'in base64': btoa(pem),
    'in base64, with the last line break': btoa(`${pem}\n`),
  };
}

/** Members that a thumbprint covers, in its order (RFC 7638 section 3.2). */
const REQUIRED: Record<string, readonly (keyof JWK)[]> = {
  RSA: ['e', 'kty', 'n'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
};

function spellJwk(key: JWK): Record<string, string> {
  const bare = Object.fromEntries((REQUIRED[key.kty ?? ''] ?? []).map((name) => [name, key[name]]));
  const compact = JSON.stringify(key);
  return {
    'as published': compact,
    'with the last line break': `${compact}\n`,
    'with spaces': JSON.stringify(key, null, 1)
      .replace(/\n\s*/g, ' ')
      .replace(/([{[]) | ([}\]])/g, '$1$2'),
    indented: JSON.stringify(key, null, 2),
    'its required members': JSON.stringify(bare),
    'in its set': JSON.stringify({ keys: [key] }),
  };
}

/** Spells a key like a line of an `authorized_keys` file (RFC 4253 section 6.6, RFC 5656, RFC 8709). */
function spellSsh(key: JWK): Record<string, string> {
  const curve = { 'P-256': 'nistp256', 'P-384': 'nistp384', 'P-521': 'nistp521' }[key.crv ?? ''];
  const name = key.kty === 'RSA' ? 'ssh-rsa' : key.kty === 'OKP' ? 'ssh-ed25519' : `ecdsa-sha2-${curve}`;
  const fields =
    key.kty === 'RSA'
      ? [encodeSigned(key.e), encodeSigned(key.n)]
      : key.kty === 'OKP'
        ? [decode(key.x ?? '')]
        : [encodeText(curve ?? ''), encodePoint(key)];
  const blob = [encodeText(name), ...fields].map((field) => join(encodeUint32(field.length), field));
  const line = `${name} ${encodeBase64(join(...blob))}`;
  return { 'without a line break': line, 'with a line break': `${line}\n` };
}

function spellValues(key: JWK): Record<string, string | Uint8Array> {
  const value = key.kty === 'RSA' ? key.n : key.x;
  return {
    'as published': value ?? '',
    decoded: decode(value ?? ''),
    ...(key.kty === 'EC' ? { 'as a point': encodePoint(key) } : {}),
  };
}

/** Returns the uncompressed point of an elliptic curve key (SEC 1 section 2.3.3). */
const encodePoint = (key: JWK): Uint8Array => join(Uint8Array.of(4), decode(key.x ?? ''), decode(key.y ?? ''));

function join(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

const encodeUint32 = (value: number): Uint8Array => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);

/** Returns a positive number in two's complement, as DER and SSH write it. */
function encodeSigned(value: string | undefined): Uint8Array {
  const bytes = decode(value ?? '');
  return (bytes[0] ?? 0) > 127 ? join(Uint8Array.of(0), bytes) : bytes;
}

const encodeInteger = (value: string | undefined): Uint8Array => encodeDerValue(0x02, encodeSigned(value));
const encodeSequence = (...parts: Uint8Array[]): Uint8Array => encodeDerValue(0x30, join(...parts));

/** Encodes a DER value of less than 64 KiB (X.690 section 8.1). */
function encodeDerValue(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  const header = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >>> 8, length];
  return join(Uint8Array.of(tag, ...header), content);
}
