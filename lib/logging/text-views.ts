/** A decoded text, with the source position of each of its bytes. */
export interface View {
  /** The decoded bytes, as a string with one character for each byte. */
  bytes: string;
  /** Returns the position in the text at which the source of a byte starts. */
  mapStart(index: number): number;
  /** Returns the position in the text at which the source of the byte before `index` ends. */
  mapEnd(index: number): number;
}

/** Most nested encodings that are decoded. */
const DEEPEST = 3;
/** Most views of one text. A text that is built to have more is not worth the time. */
const MOST_VIEWS = 16;

interface Decoder {
  /** A character that every encoded text contains. */
  mark: string;
  pattern: RegExp;
  /** Returns the bytes that a match encodes. */
  decode(match: string): string;
}

const SINGLE_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** Escapes of strings in JSON (RFC 8259 section 7) and in JavaScript, as pages contain them. */
const ESCAPE = /\\u[dD][89abAB][\da-f]{2}\\u[dD][c-fC-F][\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\["'\\/bfnrt]/gi;

function decodeEscape(match: string): string {
  const [, kind = ''] = match;
  if (match.length === 2) return SINGLE_ESCAPES[kind] ?? kind;
  const units = match.split(/\\[ux]/i).slice(1);
  return encodeUtf8(String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\xa0' };
/** Character references of HTML: numeric ones, and those that encoders write. */
export const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|nbsp);/gi;

/** Decodes a character reference of HTML. */
export function decodeReference(reference: string): string {
  const name = reference.slice(1, -1).toLowerCase();
  if (!name.startsWith('#')) return ENTITIES[name] ?? '';
  const code = Number(name.startsWith('#x') ? `0x${name.slice(2)}` : name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

const DECODERS: readonly Decoder[] = [
  { mark: '%', pattern: /%[\da-f]{2}/gi, decode: (match) => String.fromCharCode(Number.parseInt(match.slice(1), 16)) },
  { mark: '\\', pattern: ESCAPE, decode: decodeEscape },
  { mark: '&', pattern: REFERENCE, decode: (match) => encodeUtf8(decodeReference(match)) },
];

/**
 * Lists a text in every way it can be read: unchanged, and with percent-encoding, escapes and character references
 * decoded.
 */
export function listViews(text: string): View[] {
  let level = /^[\0-\x7f]*$/.test(text)
    ? [createPlainView(text)]
    : [createUtf8View(text), ...(isLatin1(text) ? [createPlainView(text)] : [])];
  const views = [...level];
  const seen = new Set(views.map((view) => view.bytes));
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const decoded: View[] = [];
    for (const view of level) {
      for (const decoder of DECODERS) {
        const next = decodeView(view, decoder);
        if (next === null || seen.has(next.bytes) || seen.size >= MOST_VIEWS) continue;
        seen.add(next.bytes);
        decoded.push(next);
      }
    }
    views.push(...decoded);
    level = decoded;
  }
  return views;
}

/** Decodes a view. Returns null if there is nothing to decode. */
function decodeView(view: View, { mark, pattern, decode }: Decoder): View | null {
  if (!view.bytes.includes(mark)) return null;
  const starts: number[] = [];
  let bytes = '';
  let at = 0;
  const copy = (until: number) => {
    for (let index = at; index < until; index += 1) starts.push(view.mapStart(index));
    bytes += view.bytes.slice(at, until);
  };
  for (const match of view.bytes.matchAll(pattern)) {
    copy(match.index);
    const piece = decode(match[0]);
    for (let index = 0; index < piece.length; index += 1) starts.push(view.mapStart(match.index));
    bytes += piece;
    at = match.index + match[0].length;
  }
  if (at === 0) return null;
  copy(view.bytes.length);
  return createView(bytes, starts, view.mapEnd(view.bytes.length));
}

function createPlainView(text: string): View {
  return { bytes: text, mapStart: (index) => index, mapEnd: (index) => index };
}

function createUtf8View(text: string): View {
  const starts: number[] = [];
  let bytes = '';
  let at = 0;
  for (const character of text) {
    const encoded = encodeUtf8(character);
    for (let index = 0; index < encoded.length; index += 1) starts.push(at);
    bytes += encoded;
    at += character.length;
  }
  return createView(bytes, starts, text.length);
}

/** Creates a view that maps bytes to their sources. @param starts for each byte, the start of its source in the text */
function createView(bytes: string, starts: readonly number[], length: number): View {
  return {
    bytes,
    mapStart: (index) => starts[index] ?? length,
    mapEnd: (index) => {
      // Bytes of one character share one source. It ends where the source of the next character starts.
      const own = starts[index - 1];
      let next = index;
      while (next < starts.length && starts[next] === own) next += 1;
      return starts[next] ?? length;
    },
  };
}

/** Encodes a text as UTF-8, one character per byte. */
export function encodeUtf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Returns whether every character fits in a byte. */
export function isLatin1(text: string): boolean {
  return /^[\0-\xff]*$/.test(text);
}
