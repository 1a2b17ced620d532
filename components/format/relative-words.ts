const SECONDS = { year: 31_556_952, month: 2_629_746, day: 86_400, hour: 3_600, minute: 60, second: 1 } as const;
const UNITS = Object.entries(SECONDS) as [keyof typeof SECONDS, number][];
const WORDS = new Intl.RelativeTimeFormat('en');

/**
 * Writes the distance from `now` to `at`, both in milliseconds, in words: `in 3 minutes`, `8 years ago`. The unit is the
 * largest of which there are two.
 */
export function formatDistanceInWords(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  if (Math.abs(seconds) < 5) return 'just now';
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= 2 * size) ?? ['second', 1];
  return WORDS.format(Math.round(seconds / length), unit);
}
