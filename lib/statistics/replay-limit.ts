import type { Refusals } from '@/lib/contract/dry-run';
import type { Limit } from '@/lib/contract/policies';
import { type RefusalBounds, refusalBounds } from '@/lib/statistics/refusal-bounds';

/** Refusals of a replayed limit over all identifiers, and the most refused ones. */
export interface Replayed {
  refusals: Refusals;
  most: { identifier: string; at_least: number; at_most: number }[];
}

const MOST_NAMED = 10;

/** Replays a limit over the demand of each identifier. @param countFrom see `refusalBounds` */
export function replayLimit(
  identifiers: Iterable<readonly [identifier: string, parts: ArrayLike<number>]>,
  limit: Limit,
  countFrom: number,
): Replayed {
  const bounds: [string, RefusalBounds][] = [];
  for (const [identifier, parts] of identifiers) {
    bounds.push([identifier, refusalBounds(parts, limit.limit, limit.window_seconds, countFrom)]);
  }
  return summed(bounds);
}

/** Adds up the bounds of identifiers. */
export function summed(bounds: readonly (readonly [identifier: string, RefusalBounds])[]): Replayed {
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
      .slice(0, MOST_NAMED),
  };
}
