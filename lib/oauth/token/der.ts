/** The few structures of DER (ITU-T X.690) that turn one form of a key or signature into another. */

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;

const RSA = Uint8Array.of(6, 9, 42, 134, 72, 134, 247, 13, 1, 1, 1, 5, 0);
const EC_KEY = Uint8Array.of(6, 7, 42, 134, 72, 206, 61, 2, 1);
/** Object ids of the curves, by the bytes of a private key on them. */
const CURVES: Readonly<Record<number, Uint8Array>> = {
  32: Uint8Array.of(6, 8, 42, 134, 72, 206, 61, 3, 1, 7),
  48: Uint8Array.of(6, 5, 43, 129, 4, 0, 34),
  66: Uint8Array.of(6, 5, 43, 129, 4, 0, 35),
};

/** Encodes a value with its tag and length. */
export function encodeDer(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  const size: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) size.unshift(rest % 256);
  const head = length < 128 ? [tag, length] : [tag, 128 + size.length, ...size];
  return join(Uint8Array.from(head), ...contents);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A value of DER: its tag, and its content. */
export interface DerValue {
  tag: number;
  content: Uint8Array;
}

/** Reads consecutive values. Null if the bytes are not DER. */
function readDer(bytes: Uint8Array): DerValue[] | null {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
    const more = first < 128 ? 0 : first - 128;
    const size = bytes.subarray(at + 2, at + 2 + more).reduce((sum, byte) => sum * 256 + byte, 0);
    const from = at + 2 + more;
    const length = more === 0 ? first : size;
    if (more > 4 || from + length > bytes.length) return null;
    values.push({ tag, content: bytes.subarray(from, from + length) });
    at = from + length;
  }
  return values;
}

/** Reads the values of a top-level sequence. Null for other bytes. */
export const readSequence = (bytes: Uint8Array): DerValue[] | null => {
  const [only, ...more] = readDer(bytes) ?? [];
  return only?.tag === SEQUENCE && more.length === 0 ? readDer(only.content) : null;
};

/** Wraps an RSA public key of PKCS #1 (RFC 8017 appendix A.1.1) in an SPKI. */
export const wrapRsaPublicKey = (key: Uint8Array): Uint8Array =>
  encodeDer(SEQUENCE, encodeDer(SEQUENCE, RSA), encodeDer(BIT_STRING, Uint8Array.of(0), key));

/** Wraps an RSA private key of PKCS #1 (RFC 8017 appendix A.1.2) in PKCS #8. */
export const wrapRsaPrivateKey = (key: Uint8Array): Uint8Array =>
  encodeDer(SEQUENCE, encodeDer(INTEGER, Uint8Array.of(0)), encodeDer(SEQUENCE, RSA), encodeDer(OCTET_STRING, key));

/** Wraps an EC private key of SEC 1 (RFC 5915) in PKCS #8. Null if its curve is not known. */
export function wrapEcPrivateKey(key: Uint8Array): Uint8Array | null {
  const [, secret, parameters] = readSequence(key) ?? [];
  if (secret === undefined) return null;
  const named = parameters?.tag === 0xa0 && parameters.content[0] === OBJECT_ID ? parameters.content : undefined;
  const curve = named ?? CURVES[secret.content.length];
  if (curve === undefined) return null;
  const algorithm = encodeDer(SEQUENCE, EC_KEY, curve);
  return encodeDer(SEQUENCE, encodeDer(INTEGER, Uint8Array.of(0)), algorithm, encodeDer(OCTET_STRING, key));
}

/**
 * Converts an ECDSA signature from DER (RFC 3279 section 2.2.3) to the two numbers side by side, as JWS has them (RFC
 * 7518 section 3.4). `size` is the length of each number in bytes. Null if it is not DER.
 */
export function unwrapEcdsaSignature(signature: Uint8Array, size: number): Uint8Array | null {
  const numbers = readSequence(signature);
  if (numbers?.length !== 2 || numbers.some(({ tag }) => tag !== INTEGER)) return null;
  const padded = numbers.map(({ content }) => {
    const bare = content.subarray(content.findIndex((byte) => byte !== 0));
    return bare.length > size ? null : join(new Uint8Array(size - bare.length), bare);
  });
  const [first = null, second = null] = padded;
  return first === null || second === null ? null : join(first, second);
}
