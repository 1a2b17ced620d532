import { type ControlVerdict, passedIf } from '@/lib/oauth/assessment/verdict';

/** Longest common beginning that passes for a tag. */
const TAG_LIMIT = 12;
const ALPHABET: readonly [RegExp, number][] = [
  [/[0-9]/, 10],
  [/[a-f]/, 6],
  [/[g-z]/, 20],
  [/[A-F]/, 6],
  [/[G-Z]/, 20],
  [/[^0-9A-Za-z]/, 2],
];

/** What many values of one kind look like to someone who guesses. */
function measureGuessing(values: readonly string[]) {
  const [first = ''] = values;
  let shared = 0;
  while (shared < first.length && values.every((value) => value[shared] === first[shared])) shared++;
  const rests = values.map((value) => value.slice(shared));
  const shortest = Math.min(...rests.map((rest) => rest.length));
  const all = rests.join('');
  const alphabet = ALPHABET.reduce((sum, [pattern, size]) => sum + (pattern.test(all) ? size : 0), 0);
  const distinct = new Set(values).size;
  /** By length and alphabet of the rest: an upper bound, as a black box sees it. */
  const bits = shortest * Math.log2(Math.max(alphabet, 1));
  const seen = `${values.length} values, ${distinct} distinct, ${shared} characters in common, ${Math.floor(bits)} bits`;
  return { seen, isUnguessable: distinct === values.length && bits >= 128 && shared <= TAG_LIMIT };
}

/** Passed when no value can be guessed (RFC 6749 section 10.10): 128 bits, none twice, no more in common than a tag. */
export function unguessable(kinds: readonly { label?: string; values: readonly string[] }[]): ControlVerdict {
  const spaces = kinds.map(({ label, values }) => ({ label, ...measureGuessing(values) }));
  const seen = `${spaces.map((space) => (space.label ? `${space.label}: ` : '') + space.seen).join('; ')}.`;
  return passedIf(
    spaces.every((space) => space.isUnguessable),
    seen,
    seen,
  );
}
