import { encodeUtf8, isLatin1, listViews, type View } from '@/lib/logging/text-views';

/** Position of a secret in a text, in UTF-16 units. `end` is the first unit after it. */
export interface FoundSecret {
  start: number;
  end: number;
  /** The secret as it was passed to `add`. */
  secret: string;
}

interface Needle {
  text: string;
  secret: string;
  /**
   * Whether the character before or after the needle also holds bits of the secret. This happens at the edges of
   * base64.
   */
  before: boolean;
  after: boolean;
}

/**
 * Length of the shortest secret. Shorter ones cannot be distinguished from ordinary text. They are redacted by
 * position, not by value.
 */
const SHORTEST_SECRET = 4;

/** Comparisons of a search in one text. Only a text that was made for it needs more. It counts as a secret as a whole. */
const MOST_COMPARISONS = 1_000_000;

/**
 * Finds secrets by value in every encoding in which they travel:
 *
 * - plain, percent- and form-encoded, with JSON escapes or HTML entities, and several of these nested;
 * - base64 and base64url at all three alignments, and therefore within HTTP Basic and JWTs.
 *
 * Texts are decoded and searched, so any mixture of encoded and plain characters is found.
 */
export class SecretFinder {
  /** Needles by their first four characters, the longest first. */
  readonly #needles = new Map<string, Needle[]>();
  /** Hashes of the first four characters of all needles. They rule out most positions of a text. */
  readonly #beginnings = new Uint8Array(1 << HASH_BITS);
  readonly #secrets = new Set<string>();
  /** Texts of all needles. */
  readonly #texts = new Set<string>();

  /** @returns false if the secret was added before, or is too short to be found by value */
  add(secret: string): boolean {
    if (secret.length < SHORTEST_SECRET || this.#secrets.has(secret)) return false;
    this.#secrets.add(secret);
    for (const needle of listNeedles(secret)) this.#addNeedle(needle);
    return true;
  }

  /** Finds the secrets in a text, in order. Of overlapping secrets the longest wins. */
  find(text: string): FoundSecret[] {
    if (this.#needles.size === 0 || text.length < SHORTEST_SECRET) return [];
    const found: FoundSecret[] = [];
    for (const view of listViews(text)) this.#search(view, found);
    return mergeOverlaps(found);
  }

  hide(text: string, replacement: (secret: string) => string): string {
    const ranges = this.find(text).map(({ secret, ...range }) => ({ ...range, text: replacement(secret) }));
    return replaceRanges(text, ranges);
  }

  #addNeedle(needle: Needle): void {
    const key = needle.text.slice(0, SHORTEST_SECRET);
    if (this.#texts.has(needle.text)) return;
    this.#texts.add(needle.text);
    const needles = this.#needles.get(key) ?? [];
    needles.splice(countLonger(needles, needle.text.length), 0, needle);
    this.#needles.set(key, needles);
    this.#beginnings[hashFourBytes((getCanonicalCode(key, 0) << 24) | combineThree(key, 1))] = 1;
  }

  #search(view: View, found: FoundSecret[]): void {
    const { bytes } = view;
    const last = bytes.length - SHORTEST_SECRET;
    let text: string | null = null;
    let four = combineThree(bytes, 0);
    let comparisons = 0;
    for (let at = 0; at <= last; at += 1) {
      four = (four << 8) | getCanonicalCode(bytes, at + SHORTEST_SECRET - 1);
      if (this.#beginnings[hashFourBytes(four)] === 0) continue;
      text ??= canonicalize(bytes);
      const needles = this.#needles.get(text.slice(at, at + SHORTEST_SECRET));
      if (needles === undefined) continue;
      comparisons += needles.length;
      const [longest] = needles;
      if (comparisons > MOST_COMPARISONS && longest !== undefined) {
        found.push({ start: view.mapStart(0), end: view.mapEnd(bytes.length), secret: longest.secret });
        return;
      }
      const searched = text;
      const needle = needles.find((candidate) => searched.startsWith(candidate.text, at));
      if (needle === undefined) continue;
      const from = at - (needle.before && isBase64(text[at - 1]) ? 1 : 0);
      const end = at + needle.text.length;
      const to = end + (needle.after && isBase64(text[end]) ? 1 : 0);
      found.push({ start: view.mapStart(from), end: view.mapEnd(to), secret: needle.secret });
    }
  }
}

/**
 * Replaces ranges of a text. The ranges must be sorted and must not overlap. @param limit length to which the text is
 * cut
 */
export function replaceRanges(
  text: string,
  ranges: readonly { start: number; end: number; text: string }[],
  limit = text.length,
): string {
  let result = '';
  let at = 0;
  for (const range of ranges) {
    if (range.start >= limit) break;
    result += text.slice(at, range.start) + range.text;
    at = range.end;
  }
  return at < limit ? result + text.slice(at, limit) : result;
}

/** Merges overlapping ranges, in order. A merged range keeps the other fields of its longest part. */
export function mergeOverlaps<R extends { start: number; end: number }>(ranges: readonly R[]): R[] {
  const merged: R[] = [];
  let longest = 0;
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const before = merged.at(-1);
    const length = range.end - range.start;
    if (before === undefined || range.start >= before.end) {
      merged.push({ ...range });
      longest = length;
    } else {
      const end = Math.max(before.end, range.end);
      Object.assign(before, length > longest ? range : {}, { start: before.start, end });
      longest = Math.max(longest, length);
    }
  }
  return merged;
}

/** Counts the needles that are longer than a length, by bisection: they are sorted, the longest first. */
function countLonger(needles: readonly Needle[], length: number): number {
  let [low, high] = [0, needles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((needles[middle]?.text.length ?? 0) > length) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Maps `+`, space and `-`, and `/` and `_`, to one character. Forms write a space as `+`, and base64url uses `-_` for
 * `+/`.
 */
function canonicalize(text: string): string {
  return text.replaceAll(/[+ ]/g, '-').replaceAll('/', '_');
}

const CANONICAL = Uint8Array.from({ length: 256 }, (_, code) => canonicalize(String.fromCharCode(code)).charCodeAt(0));

const HASH_BITS = 18;

/** Hashes four bytes (Fibonacci hashing). */
const hashFourBytes = (four: number): number => Math.imul(four, 0x9e3779b1) >>> (32 - HASH_BITS);

/** Returns the code of a byte in the canonical text. */
const getCanonicalCode = (bytes: string, index: number): number => CANONICAL[bytes.charCodeAt(index)] ?? 0;

/** Combines three codes to one number. */
const combineThree = (bytes: string, at: number): number =>
  (getCanonicalCode(bytes, at) << 16) | (getCanonicalCode(bytes, at + 1) << 8) | getCanonicalCode(bytes, at + 2);

/** Returns whether a character belongs to the canonical alphabet. */
const isBase64 = (character: string | undefined): boolean => character !== undefined && /[\w-]/.test(character);

function* listNeedles(secret: string): Generator<Needle> {
  const trimmed = secret.trim();
  const plain = new Set([secret, ...(trimmed.length < SHORTEST_SECRET ? [] : [trimmed])]);
  for (const text of plain) {
    const raw = [encodeUtf8(text), ...(isLatin1(text) && encodeUtf8(text) !== text ? [text] : [])];
    for (const bytes of raw) yield { text: canonicalize(bytes), secret, before: false, after: false };
    for (const bytes of new Set([...raw, ...listEncodedForms(text)])) {
      for (const alignment of [0, 1, 2]) yield buildBase64Needle(bytes, alignment, secret);
    }
  }
}

/**
 * Lists forms of the secret that may be base64-encoded: HTTP Basic holds forms (RFC 6749 section 2.3.1), JWTs hold
 * JSON.
 */
function listEncodedForms(secret: string): string[] {
  const text = Buffer.from(secret, 'utf8').toString('utf8');
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  return [form, encodeURIComponent(text), encodeUtf8(JSON.stringify(text).slice(1, -1))];
}

/** Returns the part of a secret's base64 that does not depend on the surrounding bytes. */
function buildBase64Needle(bytes: string, alignment: number, secret: string): Needle {
  const encoded = Buffer.from('\0'.repeat(alignment) + bytes, 'latin1').toString('base64url');
  const from = Math.ceil((alignment * 8) / 6);
  const to = Math.floor(((alignment + bytes.length) * 8) / 6);
  const text = canonicalize(encoded.slice(from, to));
  return { text, secret, before: alignment > 0, after: (alignment + bytes.length) % 3 > 0 };
}
