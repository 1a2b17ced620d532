import type { CheckAnswer } from '@/client/check-answer';

/** Limit that an application states in code for another library. Sluice decides by its policies. */
export interface StatedLimit {
  limit: number;
  milliseconds: number;
}

/** A window is empty at most one of its 60 slots after its end. */
const SLOTS = 61 / 60;
/** Share of a window, and milliseconds, by which the end of a window may differ: times are rounded, and clocks differ. */
const TOLERANCE = 0.1;
const ROUNDING = 2_000;

/**
 * Returns a function that receives each answer, and warns once if Sluice decides by another limit or window.
 * @param source name of the other library
 */
export function compareStated(source: string, stated: StatedLimit) {
  let hasWarned = false;
  return ({ allowed, status, limit, remaining, reset }: CheckAnswer, cost: number, now: number): void => {
    // Other limits apply during an incident, or without a store.
    if (hasWarned || status !== undefined || limit === null || reset === null) return;
    const wasEmpty = allowed && remaining === limit - cost;
    const milliseconds = wasEmpty ? (reset * 1_000 - now) / SLOTS : stated.milliseconds;
    const hasOtherWindow =
      Math.abs(milliseconds - stated.milliseconds) > TOLERANCE * stated.milliseconds + ROUNDING * SLOTS;
    if (limit === stated.limit && !hasOtherWindow) return;
    hasWarned = true;
    const formatSeconds = (of: number) => `${Math.max(1, Math.round(of / 1_000))} s`;
    console.warn(
      `${source} states ${stated.limit} in ${formatSeconds(stated.milliseconds)}, but the policy of Sluice is ` +
        `${limit}${hasOtherWindow ? ` in about ${formatSeconds(milliseconds)}` : ''}. Sluice decides by its policy.`,
    );
  };
}
