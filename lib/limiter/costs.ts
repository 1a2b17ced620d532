import type { Attempt, Meter } from '@/lib/limiter/meter';

/** @throws RangeError if a cost is not a whole number from 0 to 2^53 - 1 */
export function checkCost(cost: number): void {
  if (!Number.isSafeInteger(cost) || cost < 0) throw new RangeError('A cost is a whole number, at least 0.');
}

/**
 * Lists what an attempt costs each of its meters. Meters of one key are counted once, with the largest of their costs.
 * @returns null if each meter has the cost of the attempt
 * @throws RangeError if a cost is not a whole number from 0 to 2^53 - 1
 */
export function listCosts({ meters, cost }: Attempt): readonly number[] | null {
  checkCost(cost);
  let hasOwn = false;
  for (const { cost: own } of meters) {
    if (own === undefined) continue;
    checkCost(own);
    hasOwn = true;
  }
  if (!hasOwn) return null;
  const largest = new Map<string, number>();
  for (const { key, cost: own = cost } of meters) largest.set(key, Math.max(own, largest.get(key) ?? 0));
  return meters.map(({ key }) => largest.get(key) ?? 0);
}

/** Builds an attempt that reads meters and consumes nothing. */
export function buildReadAttempt(meters: readonly Meter[]): Attempt {
  return { meters: meters.map(({ cost: _, ...meter }) => meter), cost: 0 };
}
