import type { Limit } from '@/lib/contract/policies';
import type { Refusals } from '@/lib/contract/policies-dry-run';
import { PART } from '@/lib/statistics/demand';
import type { Seconds } from '@/lib/units';

/** Bounds on the refusals of a limit, in units. */
interface RefusalBounds {
  atLeast: number;
  atMost: number;
}

/**
 * Replays one identifier's demand against a limit in a sliding window.
 *
 * The time of a request is stored to ten seconds only, so the true number lies between two replays. Both replays admit
 * greedily. For requests of cost 1 this admits the most that a sliding window can, because an earlier request takes no
 * more room from later ones than a later request does.
 *
 * The replays admit a request of a higher cost in part. The limiter refuses it whole, and can refuse up to its cost
 * more in each window.
 *
 * In the lower replay, a window covers only the parts that always lie within its length. In the upper replay it covers
 * every part that its 61 slots can touch. Requests before the first part are missing, so a window longer than the parts
 * before `countFrom` can have refused more.
 *
 * @param parts units by ten seconds, oldest first
 * @param countFrom index of the first part whose refusals count; earlier parts only fill the window
 */
export function computeRefusalBounds(
  parts: ArrayLike<number>,
  limit: number,
  windowSeconds: Seconds,
  countFrom: number,
): RefusalBounds {
  const window = windowSeconds * 1_000;
  const within = Math.floor(window / PART);
  const touched = Math.ceil((window * 61) / 60 / PART) + 1;
  const fitting = within >= 1 ? limit : limit * Math.ceil(PART / window);
  return {
    atLeast: replay(parts, fitting, Math.max(1, within), countFrom),
    atMost: replay(parts, limit, touched, countFrom),
  };
}

/** @param length length of the window, in parts */
function replay(parts: ArrayLike<number>, limit: number, length: number, countFrom: number): number {
  const admitted = new Float64Array(parts.length);
  let used = 0;
  let refused = 0;
  for (let index = 0; index < parts.length; index += 1) {
    if (index >= length) used -= admitted[index - length] ?? 0;
    const demanded = parts[index] ?? 0;
    const fits = Math.min(demanded, Math.max(0, limit - used));
    admitted[index] = fits;
    used += fits;
    if (index >= countFrom) refused += demanded - fits;
  }
  return refused;
}

/** Refusals of a replayed limit over all identifiers, and the ten most refused identifiers. */
export interface Replayed {
  refusals: Refusals;
  most: { identifier: string; at_least: number; at_most: number }[];
}

/**
 * Replays a limit over the demand of each identifier.
 * @param limit the limit of all identifiers, or a function of the identifier
 * @param countFrom see `computeRefusalBounds`
 */
export function replayLimit(
  identifiers: Iterable<readonly [identifier: string, parts: ArrayLike<number>]>,
  limit: Limit | ((identifier: string) => Limit),
  countFrom: number,
): Replayed {
  const bounds = Array.from(identifiers, ([identifier, parts]) => {
    const own = typeof limit === 'function' ? limit(identifier) : limit;
    return [identifier, computeRefusalBounds(parts, own.limit, own.window_seconds, countFrom)] as const;
  });
  return sumBounds(bounds);
}

export function sumBounds(bounds: readonly (readonly [identifier: string, RefusalBounds])[]): Replayed {
  const refused = bounds.filter(([, { atMost }]) => atMost > 0);
  const sum = (bound: keyof RefusalBounds) => refused.reduce((total, [, bounds]) => total + bounds[bound], 0);
  return {
    refusals: {
      at_least: sum('atLeast'),
      at_most: sum('atMost'),
      identifiers: { at_least: refused.filter(([, { atLeast }]) => atLeast > 0).length, at_most: refused.length },
    },
    most: refused
      .map(([identifier, { atLeast, atMost }]) => ({ identifier, at_least: atLeast, at_most: atMost }))
      .sort((a, b) => b.at_least - a.at_least || b.at_most - a.at_most)
      .slice(0, 10),
  };
}
