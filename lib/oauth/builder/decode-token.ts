import * as base64url from 'jose/base64url';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** The longest token that is taken apart, in characters. */
const DECODE_LIMIT = 65_536;
/** Claims nested deeper than this are shown as text only. */
const DEPTH_LIMIT = 32;
/** No more of a part is shown, in characters. */
const SHOWN_LIMIT = 16_384;

/** One part of a token: what it says as text that is safe to show, and as a value where it is a JSON object. */
interface TokenPart {
  text: string;
  value: Readonly<Record<string, unknown>> | null;
  /** Why there is no value, or that the text was cut. */
  problem: string | null;
}

/** A token as far as it can be read without any key. */
export type DecodedToken =
  | { kind: 'jwt'; header: TokenPart; payload: TokenPart; signature: string }
  /** RFC 7516: five parts, of which only the header can be read. */
  | { kind: 'encrypted'; header: TokenPart }
  | { kind: 'opaque'; length: number }
  | { kind: 'too_long'; length: number };

/** Takes a token apart. Never throws, whatever the text is. */
export function decodeToken(token: string): DecodedToken {
  if (token.length > DECODE_LIMIT) return { kind: 'too_long', length: token.length };
  const parts = token.split('.');
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length === 5) return { kind: 'encrypted', header: readPart(header) };
  if (parts.length !== 3) return { kind: 'opaque', length: token.length };
  return { kind: 'jwt', header: readPart(header), payload: readPart(payload), signature: visibleText(signature) };
}

function readPart(encoded: string): TokenPart {
  const unread = (text: string, problem: string): TokenPart => ({ text: shown(text), value: null, problem });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(base64url.decode(encoded));
  } catch {
    return unread(encoded, 'This part is not base64url of UTF-8.');
  }
  if (nesting(text) > DEPTH_LIMIT) return unread(text, 'This part is nested too deeply to be read.');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return unread(text, 'This part is not a JSON object.');
    }
    const pretty = JSON.stringify(value, null, 2);
    const problem = pretty.length > SHOWN_LIMIT ? 'Only the beginning of this part is shown.' : null;
    return { text: shown(pretty), value: { ...value }, problem };
  } catch {
    return unread(text, 'This part is not JSON.');
  }
}

function shown(text: string): string {
  return visibleText(text.length > SHOWN_LIMIT ? `${text.slice(0, SHOWN_LIMIT)}…` : text);
}

/** How deep brackets nest outside of strings. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)|[{}[\]]/gs)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth);
    else if (token === '}' || token === ']') depth--;
  }
  return deepest;
}
