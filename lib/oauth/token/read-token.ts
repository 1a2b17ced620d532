import { isJsonObject, type JsonObject } from '@/lib/json';
import { readBase64url } from '@/lib/oauth/token/read-base64url';
import { readJson, type TextProblem } from '@/lib/oauth/token/read-json';

/** Length of the longest token that is decoded, in characters. */
export const LONGEST_TOKEN = 65_536;

/** One encoded part of a token, decoded as far as possible. */
export interface TokenPart {
  name: string;
  encoded: string;
  /** Offset in the token, in characters. */
  start: number;
  bytes: Uint8Array | null;
  /** The decoded text. Null if the bytes are not UTF-8. */
  text: string | null;
  /** Members of the JSON object in the part. Null if it contains none. */
  members: JsonObject | null;
  /** The text of each member as it is written: numbers with all their digits. */
  sources: ReadonlyMap<string, string>;
}

/** A fault of a token, and its position. */
export interface TokenProblem extends TextProblem {
  part: string;
  about: 'base64url' | 'duplicate' | 'content';
}

/** A token of three parts (RFC 7515 section 3.1). */
export interface SignedToken {
  kind: 'signed';
  token: string;
  header: TokenPart;
  payload: TokenPart;
  signature: TokenPart;
  problems: readonly TokenProblem[];
  /** True if the token leaves its payload out (RFC 7515 appendix F, RFC 7797). */
  isDetached: boolean;
  /** The payload, if it was given separately from the token. */
  givenPayload: string | null;
}

/** A token, decoded as far as possible without a key. */
export type TokenReading =
  | SignedToken
  /** Only the header is readable (RFC 7516). */
  | { kind: 'encrypted'; header: TokenPart; parts: readonly TokenPart[]; problems: readonly TokenProblem[] }
  /** An issuer-signed JWT with disclosures (RFC 9901). */
  | { kind: 'sd-jwt'; disclosures: number }
  /** A token of another family (https://paseto.io). The claims of a public one are readable. */
  | { kind: 'paseto'; version: string; purpose: 'local' | 'public'; claims: string | null }
  | { kind: 'opaque'; reason: string }
  | { kind: 'too_long'; length: number };

const PARTS_OF_JWE = ['header', 'encrypted key', 'initialization vector', 'ciphertext', 'authentication tag'];

/** Bytes of the signature at the end of a public PASETO, by its version. */
const PASETO_SIGNATURES: Readonly<Record<string, number>> = { v1: 256, v2: 64, v3: 96, v4: 64 };

/**
 * Decodes a token and reports the position of each fault. Never throws. `payload` is the text of a payload that the token
 * leaves out.
 */
export function readToken(token: string, payload: string | null = null): TokenReading {
  if (token.length > LONGEST_TOKEN) return { kind: 'too_long', length: token.length };
  const encoded = token.split('.');
  if (/^[\w-]+\.[\w-]+\.[\w-]*~/.test(token))
    return { kind: 'sd-jwt', disclosures: token.split('~').filter((each) => /^[\w-]+$/.test(each)).length };
  const [, version, purpose] = /^(v[1-4])\.(local|public)\.[\w-]+(?:\.[\w-]*)?$/.exec(token) ?? [];
  if (version !== undefined) {
    const claims = purpose === 'public' ? readPasetoClaims(encoded[2] ?? '', version) : null;
    return { kind: 'paseto', version, purpose: purpose === 'public' ? 'public' : 'local', claims };
  }
  if (encoded.length === 5) {
    const read = readParts(encoded, PARTS_OF_JWE, 1);
    const [header] = read.parts;
    if (header !== undefined) return { kind: 'encrypted', header, ...read };
  }
  if (encoded.length !== 3) return { kind: 'opaque', reason: explainOpaque(encoded.length) };
  const [first = '', second = '', third = ''] = encoded;
  const problems: TokenProblem[] = [];
  const header = readPart('header', first, 0, true, problems);
  const isUnencoded = header.members?.b64 === false;
  const start = first.length + 1;
  const read = isUnencoded || (second === '' && payload !== null) ? readText : readPart;
  const body = read('payload', second === '' ? (payload ?? '') : second, start, true, problems);
  const signature = readPart('signature', third, start + second.length + 1, false, problems);
  if (header.members !== null) problems.push(...findHeaderProblems(header, header.members, signature));
  problems.sort((one, other) => one.at - other.at);
  const isDetached = second === '';
  const givenPayload = isDetached ? payload : null;
  return { kind: 'signed', token, header, payload: body, signature, problems, isDetached, givenPayload };
}

/** Returns the claims of a public PASETO: the bytes before its signature. */
function readPasetoClaims(encoded: string, version: string): string | null {
  const { bytes } = readBase64url(encoded);
  return bytes === null
    ? null
    : decodeUtf8(bytes.subarray(0, Math.max(0, bytes.length - (PASETO_SIGNATURES[version] ?? 0))));
}

/** Returns the unverified claims of a signed token. Returns null if they are unreadable. */
export function readClaims(token: string): JsonObject | null {
  const reading = readToken(token);
  return reading.kind === 'signed' ? reading.payload.members : null;
}

function explainOpaque(parts: number): string {
  if (parts === 1) return 'There is no dot in it: it is opaque, and only its issuer can read it.';
  return `It has ${parts} parts between dots. A signed token has 3, an encrypted one 5.`;
}

/** Reads the parts. The first `objects` parts must be JSON objects. */
function readParts(encoded: readonly string[], names: readonly string[], objects: number) {
  const problems: TokenProblem[] = [];
  let start = 0;
  const parts = encoded.map((text, index) => {
    const part = readPart(names[index] ?? '', text, start, index < objects, problems);
    start += text.length + 1;
    return part;
  });
  return { parts, problems };
}

function readPart(
  name: string,
  encoded: string,
  start: number,
  isObject: boolean,
  problems: TokenProblem[],
): TokenPart {
  const note = (at: number, message: string, about: TokenProblem['about'] = 'content') =>
    problems.push({ part: name, at: start + at, message, about });
  const reading = readBase64url(encoded);
  for (const { at, message } of reading.problems) note(at, message, 'base64url');
  const { bytes } = reading;
  const part: TokenPart = { name, encoded, start, bytes, text: null, members: null, sources: new Map() };
  if (bytes === null || !isObject) return part;
  if (encoded === '') {
    note(0, `The ${name} is empty.`);
    return part;
  }
  const text = decodeUtf8(bytes);
  if (text === null) {
    note(0, 'The bytes are not UTF-8 (RFC 8725 section 3.7).');
    return part;
  }
  // Converts an offset in the JSON to one in its encoding: three bytes become four characters.
  const convertOffset = (at: number) =>
    Math.min(encoded.length, Math.floor((new TextEncoder().encode(text.slice(0, at)).length * 4) / 3));
  return readObject(part, text, (at, message, about) => note(convertOffset(at), message, about));
}

/** Reads the content of a token that was decrypted. */
export const readContent = (text: string): TokenPart => readText('content', text, 0);

/** Reads a payload that is not base64url-encoded. It may be any text, so only JSON in it is judged. */
function readText(name: string, text: string, start: number): TokenPart {
  const bytes = new TextEncoder().encode(text);
  const part: TokenPart = { name, encoded: text, start, bytes, text: null, members: null, sources: new Map() };
  return readObject(part, text, () => undefined);
}

type Note = (at: number, message: string, about?: TokenProblem['about']) => void;

function readObject(part: TokenPart, text: string, note: Note): TokenPart {
  part.text = text;
  const json = readJson(text);
  for (const { at, message } of json.duplicates)
    note(at, `${message} Readers disagree on which one counts.`, 'duplicate');
  if (json.error !== null)
    note(json.error.at, `Not JSON, at character ${json.error.at + 1} of the decoded text: ${json.error.message}`);
  else if (isJsonObject(json.value)) {
    part.members = json.value;
    part.sources = json.sources;
  } else note(0, 'The JSON is not an object.');
  return part;
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Checks header and signature together (RFC 7515 section 4.1.1, RFC 7518 section 3.6). */
function findHeaderProblems({ start }: TokenPart, { alg }: JsonObject, signature: TokenPart): TokenProblem[] {
  const about = 'content' as const;
  const createHeaderProblem = (message: string): TokenProblem[] => [{ part: 'header', at: start, message, about }];
  const createSignatureProblem = (message: string): TokenProblem[] => [
    { part: 'signature', at: signature.start, message, about },
  ];
  const isEmpty = signature.encoded === '';
  if (typeof alg !== 'string')
    return createHeaderProblem('There is no “alg”, which every header must have (RFC 7515 section 4.1.1).');
  if (alg.toLowerCase() !== 'none')
    return isEmpty ? createSignatureProblem(`The signature is empty, although “alg” is ${alg.slice(0, 32)}.`) : [];
  const unsigned = createHeaderProblem('“alg” is none: nothing protects this token.');
  return isEmpty
    ? unsigned
    : [...unsigned, ...createSignatureProblem('A token with “alg” none must have an empty signature.')];
}
