import { createHash } from 'node:crypto';
import { type ControlVerdict, createFailed, createPassed } from '@/lib/oauth/assessment/verdict';
import { COMMON_SECRETS } from '@/lib/oauth/token/guess-secret';

/** Statistics on several values of one kind, from the view of an attacker who guesses. */
export interface GuessingSpace {
  count: number;
  distinct: number;
  /** Number of characters that are equal in every value: a tag, a constant beginning or end. */
  fixed: number;
  /** Bits, from the characters that differ between the values and their alphabet. It is an upper bound. */
  bits: number;
  /** Explains how the values can be predicted. Null if they cannot. */
  pattern: string | null;
}

/** Sizes of common alphabets, with an expression that matches their characters. */
const ALPHABETS: readonly [RegExp, number][] = [
  [/[0-9]/, 10],
  [/[a-f]/, 6],
  [/[g-z]/, 20],
  [/[A-F]/, 6],
  [/[G-Z]/, 20],
  [/[^0-9A-Za-z]/, 2],
];

/** Bits that RFC 6749 section 10.10 asks for, and those that a random UUID has at least. */
const WANTED_BITS = 128;
const ENOUGH_BITS = 120;
/** Numbers and hashes of numbers below this one count as guessed, and times this many seconds around now. */
const SMALL = 20_000;
const SECONDS_AROUND = 3_600;

/**
 * Measures values that must be unguessable (RFC 6749 section 10.10). Only characters that differ between the values
 * count, so a constant beginning or end does not count as randomness. The version and the
 * variant of a random UUID do not count either.
 * @param now Unix time in seconds, to recognise values that are made from the time
 */
export function measureGuessing(values: readonly string[], now: number): GuessingSpace {
  const shortest = Math.min(...values.map((value) => value.length));
  let varying = '';
  let places = 0;
  for (let place = 0; place < shortest; place++) {
    const characters = new Set(values.map((value) => value[place]));
    if (characters.size === 1) continue;
    places++;
    varying += [...characters].join('');
  }
  const alphabet = ALPHABETS.reduce((sum, [pattern, size]) => sum + (pattern.test(varying) ? size : 0), 0);
  const distinct = new Set(values).size;
  const isRandomUuid = values.every((value) => UUID.exec(value)?.[1] === '4');
  const bits = isRandomUuid ? 122 : places * Math.log2(Math.max(alphabet, 1));
  return { count: values.length, distinct, fixed: shortest - places, bits, pattern: findPattern(values, now) };
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-([\da-f])[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/** Returns how an attacker predicts the values from others or from the time, or null if that was not found. */
function findPattern(values: readonly string[], now: number): string | null {
  if (values.length < 4) return null;
  if (values.every((value) => '126'.includes(UUID.exec(value)?.[1] ?? '-'))) return 'UUIDs of the time and the machine';
  const numbers = values.map(readNumber);
  if (numbers.every((number) => number !== null) && isSequence(numbers)) return 'consecutive numbers';
  const digests = values.map(convertToHexadecimal);
  if (!digests.every(({ length }) => DIGEST_LENGTHS.has(length))) return null;
  const guessed = digests.filter((digest) => hashSmallNumbers(now).has(digest)).length;
  return guessed * 2 > values.length ? 'hashes of a counter or of the time' : null;
}

/** Reads a value as a number: decimal, hexadecimal, or base64 of either. */
function readNumber(value: string): bigint | null {
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  for (const text of [value, decoded]) {
    const [digits] = /\d{1,30}$/.exec(text) ?? [];
    if (digits !== undefined && /^\D*\d+$/.test(text)) return BigInt(digits);
  }
  const hexadecimal = value.replaceAll('-', '');
  return /^[\da-f]{1,64}$/i.test(hexadecimal) ? BigInt(`0x${hexadecimal}`) : null;
}

/** Returns whether sorted numbers lie so close together that the next one is found by trying a thousand. */
function isSequence(numbers: readonly bigint[]): boolean {
  const sorted = [...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const steps = sorted.slice(1).map((number, index) => number - (sorted[index] ?? 0n));
  return steps.every((step) => step > 0n && step <= 1000n);
}

/** Lengths of MD5, SHA-1 and SHA-256 in hexadecimal. */
const DIGEST_LENGTHS: ReadonlySet<number> = new Set([32, 40, 64]);

/** Returns the hexadecimal form of a value that is written in hexadecimal, as a UUID or in base64. */
function convertToHexadecimal(value: string): string {
  const plain = value.replaceAll('-', '').toLowerCase();
  return /^[\da-f]+$/.test(plain) ? plain : Buffer.from(value, 'base64').toString('hex');
}

/** Hashes of small numbers and of the times of one hour, by the hour. Only the newest are kept. */
const cachedHashes = new Map<number, Set<string>>();

function hashSmallNumbers(now: number): Set<string> {
  const hour = Math.floor(now / SECONDS_AROUND);
  const known = cachedHashes.get(hour);
  if (known !== undefined) return known;
  const numbers = Array.from({ length: SMALL }, (_, number) => number);
  const times = Array.from({ length: 3 * SECONDS_AROUND }, (_, second) => (hour - 1) * SECONDS_AROUND + second);
  const hashes = new Set<string>();
  for (const text of [...numbers, ...times].map(String)) {
    for (const algorithm of ['md5', 'sha1', 'sha256']) hashes.add(createHash(algorithm).update(text).digest('hex'));
  }
  cachedHashes.clear();
  cachedHashes.set(hour, hashes);
  return hashes;
}

/** Returns whether values cannot be guessed, as far as can be seen: no pattern, no duplicates, and enough bits. */
export function isUnguessable({ distinct, count, bits, pattern }: GuessingSpace, enough = ENOUGH_BITS): boolean {
  return distinct === count && bits >= enough && pattern === null;
}

/** Judges whether values with these statistics can be guessed. */
export const judgeGuessing = (space: GuessingSpace): ControlVerdict =>
  (isUnguessable(space) ? createPassed : createFailed)(`${describeGuessing(space)}.`);

/** Describes the statistics in words. */
export function describeGuessing({ count, distinct, fixed, bits, pattern }: GuessingSpace): string {
  const seen = `${count} values, ${distinct} distinct, ${fixed} characters the same in all`;
  if (pattern !== null) return `${seen}: ${pattern}`;
  const short = bits >= ENOUGH_BITS && bits < WANTED_BITS ? ', a few less than the 128 of RFC 6749 section 10.10' : '';
  return `${seen}, at most ${Math.floor(bits)} bits that vary (an upper bound${short})`;
}

/** Patterns that words do not contain: six consonants in a row, or capitals in the middle. */
const NO_WORDS = /[bcdfghjklmnpqrstvwxz]{6}|[BCDFGHJKLMNPQRSTVWXZ]{6}|[a-z][A-Z]{2}/;

/**
 * Estimates the bits of one secret from its length and alphabet, as an upper bound. Natural-language text counts as
 * about two bits a character, a common secret as none.
 */
export function estimateSecretBits(secret: string): number {
  if (COMMON_SECRETS.includes(secret)) return 0;
  const sizes: [RegExp, number][] = [
    [/[0-9]/, 10],
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[^0-9A-Za-z]/, 8],
  ];
  const words = /^[a-z]+([-_. ][a-z]+)*$/i.test(secret) && !NO_WORDS.test(secret);
  const alphabet = sizes.reduce((sum, [pattern, size]) => sum + (pattern.test(secret) ? size : 0), 0);
  return words ? secret.length * 2 : secret.length * Math.log2(Math.max(alphabet, 1));
}
