import { PART } from '@/lib/statistics/demand';
import type { Seconds } from '@/lib/units';

/** How many requests a limit would have refused: certainly so many, and not more than so many. */
export interface RefusalBounds {
  atLeast: number;
  atMost: number;
}

/**
 * Replays one identifier's demand against a limit in a sliding window.
 *
 * Of when a request came only the ten seconds are known, so the truth lies between two replays. Both admit greedily,
 * which for requests of cost 1 admits the most that a sliding window can (an earlier request never takes more room
 * from those to come than a later one). The lower replay lets a window see only the parts that lie within its length
 * wherever it begins; the upper one every part that its 61 slots can touch. Nothing is known from before the first
 * part: a window longer than what comes before `countFrom` can have refused more.
 *
 * @param parts requests by ten seconds, oldest first
 * @param countFrom index of the first part whose refusals count; those before it only fill the window
 */
export function refusalBounds(
  parts: ArrayLike<number>,
  limit: number,
  windowSeconds: Seconds,
  countFrom: number,
): RefusalBounds {
  const window = windowSeconds * 1_000;
  const within = Math.floor(window / PART);
  const touched = Math.ceil((window * 61) / 60 / PART) + 1;
  return {
    atLeast:
      within >= 1
        ? replay(parts, limit, within, countFrom)
        : replay(parts, limit * Math.ceil(PART / window), 1, countFrom),
    atMost: replay(parts, limit, touched, countFrom),
  };
}

/** @param length how many parts count together */
function replay(parts: ArrayLike<number>, limit: number, length: number, countFrom: number): number {
  const admitted = new Float64Array(parts.length);
  let used = 0;
  let refused = 0;
  for (let index = 0; index < parts.length; index += 1) {
    if (index >= length) used -= admitted[index - length] ?? 0;
    const asked = parts[index] ?? 0;
    const fits = Math.min(asked, Math.max(0, limit - used));
    admitted[index] = fits;
    used += fits;
    if (index >= countFrom) refused += asked - fits;
  }
  return refused;
}
