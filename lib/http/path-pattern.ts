import { decodeSegments } from '@/lib/http/path-escapes';

/** A malformed pattern. `message` continues the name of the field: "must not have a group: `(` at character 12". */
export class PatternError extends Error {}

/** A literal character, one character except `/`, any number of those, or any number of any characters. */
type Token = string | typeof SEGMENT_CHARACTER | typeof SEGMENT_REST | typeof ANYTHING;

const SEGMENT_CHARACTER = 1;
const SEGMENT_REST = 2;
const ANYTHING = 3;

/** Special characters of URLPattern other than `*` and `:name`. Patterns here do not support them. */
const RESERVED = ['(', '{', '}', '?', '+', '\\'];
/** Matches the next part of a pattern: a name with its colon, or one character. */
const PART = /:(?:[$_\p{ID_Start}](?:[$_\p{ID_Continue}]|\u200c|\u200d)*)?|./gsu;
const SLASH = '/'.charCodeAt(0);
/** Number of characters in a comparable path, which is ASCII only. */
const ALPHABET = 128;
/** Bits in one word of the automaton. */
const WORD = 32;

/**
 * A path pattern of literal text, `*` for any characters (none and slashes included), and `:name` for one or more
 * characters except `/`.
 * Matches the same paths as a URLPattern with this pathname that ignores case.
 *
 * Matching runs a nondeterministic automaton with one bit for each place of the pattern (Baeza-Yates and Gonnet, "A New
 * Approach to Text Searching", 1992). It reads each character of the path once, for any pattern, with one step for
 * every word of 32 places.
 */
export class PathPattern {
  /** Literal text before the first variable, and after the last one. */
  readonly #start: string;
  readonly #end: string;
  /** True if any text matches after the start. */
  readonly #open: boolean;
  readonly #words: number;
  /** Places that stay active at any character (`*`). `#stays` adds the rest of a name, which ends at `/`. */
  readonly #anything: Int32Array;
  readonly #stays: Int32Array;
  /** Places that each character advances. */
  readonly #onward: Int32Array;
  readonly #last: number;

  /** @throws PatternError naming the character by its position, in code points from 1 */
  constructor(pattern: string) {
    const tokens = read(pattern);
    const isVariable = (token: Token) => typeof token !== 'string';
    const first = tokens.some(isVariable) ? tokens.findIndex(isVariable) : tokens.length;
    const after = Math.max(first, tokens.findLastIndex(isVariable) + 1);
    this.#start = tokens.slice(0, first).join('');
    this.#end = tokens.slice(after).join('');
    const middle = tokens.slice(first, after);
    this.#open = middle.length === 1 && middle[0] === ANYTHING;
    this.#last = middle.length;
    this.#words = (middle.length >>> 5) + 1;
    this.#anything = new Int32Array(this.#words);
    this.#stays = new Int32Array(this.#words);
    this.#onward = new Int32Array(ALPHABET * this.#words);
    for (const [place, token] of middle.entries()) {
      if (token === ANYTHING) mark(this.#anything, place);
      if (token === ANYTHING || token === SEGMENT_REST) mark(this.#stays, place);
      else if (token === SEGMENT_CHARACTER) {
        for (let code = 0; code < ALPHABET; code += 1) if (code !== SLASH) this.#mark(code, place);
      } else this.#mark(token.charCodeAt(0), place);
    }
  }

  /** @param path as returned by `buildComparablePath` */
  matches(path: string): boolean {
    const from = this.#start.length;
    const to = path.length - this.#end.length;
    if (to < from || !path.startsWith(this.#start) || !path.endsWith(this.#end)) return false;
    return this.#open || this.#walk(path, from, to);
  }

  #mark(code: number, place: number): void {
    mark(this.#onward.subarray(code * this.#words), place);
  }

  #walk(path: string, from: number, to: number): boolean {
    const words = this.#words;
    const places = new Int32Array(words);
    // A place that stays can also be skipped. Two such places never follow each other.
    places[0] = 1 | (((this.#stays[0] ?? 0) & 1) << 1);
    for (let at = from; at < to; at += 1) {
      const code = path.charCodeAt(at);
      const stay = code === SLASH ? this.#anything : this.#stays;
      let carried = 0;
      let passed = 0;
      let alive = 0;
      for (let word = 0; word < words; word += 1) {
        const index = places[word] ?? 0;
        const leave = index & (this.#onward[code * words + word] ?? 0);
        const next = (leave << 1) | carried | (index & (stay[word] ?? 0));
        const pass = next & (this.#stays[word] ?? 0);
        places[word] = next | (pass << 1) | passed;
        carried = leave >>> (WORD - 1);
        passed = pass >>> (WORD - 1);
        alive |= next;
      }
      if (alive === 0) return false;
    }
    return (((places[this.#last >>> 5] ?? 0) >>> (this.#last & 31)) & 1) === 1;
  }
}

/**
 * Converts a path to the form that patterns match: ASCII in lower case, other characters percent-encoded.
 * A rule with `é` therefore matches `%C3%A9`, and vice versa.
 * @param path without escapes of ASCII characters, except `%2f` inside a segment
 */
export function buildComparablePath(path: string): string {
  const ascii = BEYOND_ASCII.test(path) ? path.replace(BEYOND_ASCII_TEXT, encodeText) : path;
  return ascii.toLowerCase();
}

const BEYOND_ASCII = /[^\0-\x7f]/;
const BEYOND_ASCII_TEXT = /[^\0-\x7f]+/g;

/** Percent-encodes text. Unpaired surrogates become U+FFFD, as in a URL. */
function encodeText(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function mark(places: Int32Array, place: number): void {
  const word = place >>> 5;
  places[word] = (places[word] ?? 0) | (1 << (place & 31));
}

/** Encodes a path like the URL parser, including `?` and `#`. @param path starts with a slash */
function encodePath(path: string): string {
  const url = new URL('https://example.com');
  url.pathname = path;
  return url.pathname;
}

function read(pattern: string): Token[] {
  const tokens: Token[] = [];
  let literal = '';
  let afterVariable = false;
  for (const { 0: part, index } of pattern.matchAll(PART)) {
    const place = `at character ${Array.from(pattern.slice(0, index)).length + 1}`;
    if (part === '(') throw new PatternError(`must not have a group: \`(\` ${place}`);
    if (RESERVED.includes(part)) throw new PatternError(`must not have \`${part}\` ${place}`);
    if (part === ':') throw new PatternError(`must have a name after \`:\` ${place}`);
    // URLPattern reads a `*` at this position as a repetition.
    if (part === '*' && afterVariable)
      throw new PatternError(`must not have \`*\` right after a name or another \`*\`, ${place}`);
    // The URL parser removes these characters, so they do not end a name.
    if (['\t', '\n', '\r'].includes(part)) continue;
    afterVariable = part === '*' || part.startsWith(':');
    if (afterVariable) {
      const variable: Token[] = part === '*' ? [ANYTHING] : [SEGMENT_CHARACTER, SEGMENT_REST];
      tokens.push(...normalizeLiteral(literal), ...variable);
      literal = '';
    } else literal += part;
  }
  return [...tokens, ...normalizeLiteral(literal)];
}

/** Converts literal text to its form in a comparable path. Decodes all ASCII escapes except `%2f`. */
function normalizeLiteral(text: string): string {
  const path = text.startsWith('/') ? encodePath(text) : encodePath(`/-${text}`).slice(2);
  return buildComparablePath(decodeSegments(path));
}
