import { DAY } from '@/lib/units';

/** Steps by which decisions are counted, in seconds, shortest first. */
export const ROLLUP_STEPS = [60, 3_600, 86_400] as const;
export type RollupStep = (typeof ROLLUP_STEPS)[number];

/** Retention of the counts of each step, in milliseconds (docs/statistics.md). */
export const KEPT_FOR: Readonly<Record<RollupStep, number>> = { 60: 2 * DAY, 3600: 60 * DAY, 86400: 730 * DAY };

/** Identifiers that stay stored for each step after it ends. */
export const KEPT_IDENTIFIERS: Readonly<Record<RollupStep, number>> = { 60: 64, 3600: 200, 86400: 200 };

/** Returns the longest step that divides the step of a chart. */
export function findRollup(stepSeconds: number): RollupStep {
  if (stepSeconds % 86_400 === 0) return 86_400;
  return stepSeconds % 3_600 === 0 ? 3_600 : 60;
}

/** Returns the start of the step that holds `at`. */
export function findStart(at: number, stepMillis: number): number {
  return Math.floor(at / stepMillis) * stepMillis;
}

/**
 * Splits a span into whole days, the hours around them and, if `finest` allows, the minutes around those. The result is
 * the fewest rows that add up to exactly that span. Both ends must lie on `finest`.
 */
export function splitSpan(
  from: number,
  to: number,
  finest: RollupStep,
): { step: RollupStep; start: number; end: number }[] {
  if (from >= to) return [];
  const step = [86_400, 3_600, 60].find((candidate): candidate is RollupStep => {
    if (candidate < finest) return false;
    const length = candidate * 1_000;
    return findStart(from + length - 1, length) < findStart(to, length);
  });
  if (step === undefined) return [{ step: finest, start: from, end: to }];
  const length = step * 1_000;
  const start = findStart(from + length - 1, length);
  const end = findStart(to, length);
  return [...splitSpan(from, start, finest), { step, start, end }, ...splitSpan(end, to, finest)];
}
