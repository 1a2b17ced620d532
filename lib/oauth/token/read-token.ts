import { isMembers, type Members } from '@/lib/oauth/token/members';
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
  members: Members | null;
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
}

/** A token, decoded as far as possible without a key. */
export type TokenReading =
  | SignedToken
  /** Only the header is readable (RFC 7516). */
  | { kind: 'encrypted'; header: TokenPart; parts: readonly TokenPart[]; problems: readonly TokenProblem[] }
  /** An issuer-signed JWT with disclosures (RFC 9901). */
  | { kind: 'sd-jwt'; disclosures: number }
  | { kind: 'opaque'; reason: string }
  | { kind: 'too_long'; length: number };

const PARTS_OF_JWE = ['header', 'encrypted key', 'initialization vector', 'ciphertext', 'authentication tag'];

/** Decodes a token and reports the position of each fault. Never throws. */
export function readToken(token: string): TokenReading {
  if (token.length > LONGEST_TOKEN) return { kind: 'too_long', length: token.length };
  const encoded = token.split('.');
  if (/^[\w-]+\.[\w-]+\.[\w-]*~/.test(token))
    return { kind: 'sd-jwt', disclosures: token.split('~').filter((each) => /^[\w-]+$/.test(each)).length };
  if (encoded.length === 5) {
    const read = readParts(encoded, PARTS_OF_JWE, 1);
    const [header] = read.parts;
    if (header !== undefined) return { kind: 'encrypted', header, ...read };
  }
  if (encoded.length !== 3) return { kind: 'opaque', reason: whyOpaque(encoded.length) };
  const { parts, problems } = readParts(encoded, ['header', 'payload', 'signature'], 2);
  const [header, payload, signature] = parts;
  if (header === undefined || payload === undefined || signature === undefined) throw new TypeError('three parts');
  if (header.members !== null) problems.push(...problemsOfHeader(header, header.members, signature));
  problems.sort((one, other) => one.at - other.at);
  return { kind: 'signed', token, header, payload, signature, problems };
}

/** Returns the unverified claims of a signed token. Returns null if they are unreadable. */
export function claimsOf(token: string): Members | null {
  const reading = readToken(token);
  return reading.kind === 'signed' ? reading.payload.members : null;
}

function whyOpaque(parts: number): string {
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
  const part: TokenPart = { name, encoded, start, bytes, text: null, members: null };
  if (bytes === null || !isObject) return part;
  if (encoded === '') {
    note(0, `The ${name} is empty.`);
    return part;
  }
  part.text = utf8(bytes);
  if (part.text === null) {
    note(0, 'The bytes are not UTF-8 (RFC 8725 section 3.7).');
    return part;
  }
  const json = readJson(part.text);
  // Converts an offset in the JSON to one in its encoding: three bytes become four characters.
  const place = (at: number) =>
    Math.min(encoded.length, Math.floor((new TextEncoder().encode(part.text?.slice(0, at)).length * 4) / 3));
  for (const { at, message } of json.duplicates)
    note(place(at), `${message} Readers disagree on which one counts.`, 'duplicate');
  if (json.error !== null)
    note(
      place(json.error.at),
      `Not JSON, at character ${json.error.at + 1} of the decoded text: ${json.error.message}`,
    );
  else if (isMembers(json.value)) part.members = json.value;
  else note(0, 'The JSON is not an object.');
  return part;
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Checks header and signature together (RFC 7515 section 4.1.1, RFC 7518 section 3.6). */
function problemsOfHeader({ start }: TokenPart, { alg }: Members, signature: TokenPart): TokenProblem[] {
  const about = 'content' as const;
  const atHeader = (message: string): TokenProblem[] => [{ part: 'header', at: start, message, about }];
  const atSignature = (message: string): TokenProblem[] => [{ part: 'signature', at: signature.start, message, about }];
  const isEmpty = signature.encoded === '';
  if (typeof alg !== 'string')
    return atHeader('There is no “alg”, which every header must have (RFC 7515 section 4.1.1).');
  if (alg.toLowerCase() !== 'none')
    return isEmpty ? atSignature(`The signature is empty, although “alg” is ${alg.slice(0, 32)}.`) : [];
  const unsigned = atHeader('“alg” is none: nothing protects this token.');
  return isEmpty ? unsigned : [...unsigned, ...atSignature('A token with “alg” none must have an empty signature.')];
}
