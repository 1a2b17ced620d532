/** Statistics on several values of one kind, from the view of an attacker who guesses. */
export interface GuessingSpace {
  count: number;
  distinct: number;
  /** Number of characters that are equal in every value: a tag, a constant beginning or end. */
  fixed: number;
  /** Bits, from the characters that differ between the values and their alphabet. It is an upper bound. */
  bits: number;
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

/**
 * Measures values that must be unguessable (RFC 6749 section 10.10). Only characters that differ between the values
 * count, so a constant beginning or end does not count as randomness.
 */
export function measureGuessing(values: readonly string[]): GuessingSpace {
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
  return { count: values.length, distinct, fixed: shortest - places, bits: places * Math.log2(Math.max(alphabet, 1)) };
}

/** Returns whether values cannot be guessed: at least 128 varying bits, and no duplicates. */
export function isUnguessable(space: GuessingSpace): boolean {
  return space.distinct === space.count && space.bits >= 128;
}

/** Describes the statistics in words. */
export function describeGuessing({ count, distinct, fixed, bits }: GuessingSpace): string {
  return `${count} values, ${distinct} distinct, ${fixed} characters the same in all, ${Math.floor(bits)} bits that vary`;
}

/** Patterns that words do not contain: six consonants in a row, or capitals in the middle. */
const NO_WORDS = /[bcdfghjklmnpqrstvwxz]{6}|[BCDFGHJKLMNPQRSTVWXZ]{6}|[a-z][A-Z]{2}/;

/**
 * Estimates the bits of one secret from its length and alphabet, as an upper bound. Natural-language text counts as
 * about two bits a character.
 */
export function secretBits(secret: string): number {
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
