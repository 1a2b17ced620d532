/** What many values of one kind look like to someone who guesses. */
export interface GuessingSpace {
  count: number;
  distinct: number;
  /** Characters that are the same in every value: a tag, a constant beginning or end. */
  fixed: number;
  /** Bits by what differs between the values and its alphabet: an upper bound, as a black box sees it. */
  bits: number;
}

/** Sizes of the alphabets that values come in, by the characters that belong to them. */
const ALPHABETS: readonly [RegExp, number][] = [
  [/[0-9]/, 10],
  [/[a-f]/, 6],
  [/[g-z]/, 20],
  [/[A-F]/, 6],
  [/[G-Z]/, 20],
  [/[^0-9A-Za-z]/, 2],
];

/**
 * Measures values that should be unguessable (RFC 6749 section 10.10). Only places that differ between values count, so
 * that neither a constant beginning nor a constant end passes for randomness.
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

/** Whether values of such a space cannot be guessed: 128 bits that vary, and none twice. */
export function isUnguessable(space: GuessingSpace): boolean {
  return space.distinct === space.count && space.bits >= 128;
}

/** The space in words. */
export function describeGuessing({ count, distinct, fixed, bits }: GuessingSpace): string {
  return `${count} values, ${distinct} distinct, ${fixed} characters the same in all, ${Math.floor(bits)} bits that vary`;
}

/** What words have not: six consonants in a row, or capitals in the middle. */
const NO_WORDS = /[bcdfghjklmnpqrstvwxz]{6}|[BCDFGHJKLMNPQRSTVWXZ]{6}|[a-z][A-Z]{2}/;

/** Bits of one secret by its length and alphabet: an upper bound. Words of a language carry about two a character. */
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
