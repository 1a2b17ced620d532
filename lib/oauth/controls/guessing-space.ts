/** What many values of one kind look like to someone who guesses. */
export interface GuessingSpace {
  count: number;
  distinct: number;
  /** What all of them begin with. */
  sharedPrefix: number;
  /** Bits by length and alphabet of the rest: an upper bound, as a black box sees it. */
  bits: number;
}

/** Longest common beginning that passes for a tag. */
const TAG_LIMIT = 12;

/** Measures values that should be unguessable (RFC 6749 section 10.10). */
export function measureGuessing(values: readonly string[]): GuessingSpace {
  const first = values[0] ?? '';
  let sharedPrefix = 0;
  while (sharedPrefix < first.length && values.every((value) => value[sharedPrefix] === first[sharedPrefix]))
    sharedPrefix++;
  const rests = values.map((value) => value.slice(sharedPrefix));
  const shortest = Math.min(...rests.map((rest) => rest.length));
  const all = rests.join('');
  const classes: [RegExp, number][] = [
    [/[0-9]/, 10],
    [/[a-f]/, 6],
    [/[g-z]/, 20],
    [/[A-F]/, 6],
    [/[G-Z]/, 20],
    [/[^0-9A-Za-z]/, 2],
  ];
  const alphabet = classes.reduce((sum, [pattern, size]) => sum + (pattern.test(all) ? size : 0), 0);
  return {
    count: values.length,
    distinct: new Set(values).size,
    sharedPrefix,
    bits: shortest * Math.log2(Math.max(alphabet, 1)),
  };
}

/** Whether values of such a space cannot be guessed: 128 bits, none twice, nothing in common beyond a tag. */
export function isUnguessable(space: GuessingSpace): boolean {
  return space.distinct === space.count && space.bits >= 128 && space.sharedPrefix <= TAG_LIMIT;
}

/** The space in words. */
export function describeGuessing(space: GuessingSpace): string {
  return `${space.count} values, ${space.distinct} distinct, ${space.sharedPrefix} characters in common, ${Math.floor(space.bits)} bits`;
}
