import type { DecisionEvent } from '@/lib/statistics/decision-event';
import type { RollupStep } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** Counts of a named limit, as columns of the `limit_counts` table in their order. */
export const LIMIT_COUNTS = [
  'allowed',
  'refused',
  'degraded',
  'observed',
  'units',
  'refused_units',
  'reserved',
  'settled',
  'settled_used',
] as const;
type LimitCountName = (typeof LIMIT_COUNTS)[number];
export type LimitCounts = Record<LimitCountName, number>;

/** A row of the `limit_counts` table, in the order of its columns. */
export type LimitCountRow = readonly [
  step: RollupStep,
  start: Millis,
  endpointClass: string,
  limitName: string,
  ...counts: number[],
];

/** A settlement or a refund, for one named limit. */
export interface SettledUse {
  name: string;
  /** Units that the check had counted. */
  units: number;
  /** Units that were used. */
  used: number;
}

export function createLimitCounts(): LimitCounts {
  return {
    ...{ allowed: 0, refused: 0, degraded: 0, observed: 0, units: 0 },
    ...{ refused_units: 0, reserved: 0, settled: 0, settled_used: 0 },
  };
}

interface Cell {
  class: string;
  name: string;
  counts: LimitCounts;
}

/**
 * Decisions and units of named limits, by class and name. A decision counts once for each of its limits; a refusal
 * counts only for the limit that it names, so that the counts are those of the decision log.
 */
export class LimitTally {
  readonly #cells = new Map<string, Cell>();

  add(event: DecisionEvent): void {
    const { outcome, limitUses, limitName } = event;
    if (outcome === 'bypassed') return;
    const isCounted = outcome === 'allowed' || outcome === 'degraded';
    for (const [index, { name, units }] of limitUses.entries()) {
      if (!isCounted && name !== limitName) continue;
      const counts = this.#findCounts(event.class ?? '', name);
      // A check can name several subjects of a limit, and is one decision.
      if (limitUses.findIndex((use) => use.name === name) === index) counts[outcome] += 1;
      if (outcome === 'refused') counts.refused_units += units;
      if (!isCounted) continue;
      counts.units += units;
      if (event.isReserved) counts.reserved += units;
    }
  }

  settle({ name, units, used }: SettledUse): void {
    const counts = this.#findCounts('', name);
    counts.settled += units;
    counts.settled_used += used;
  }

  list(): readonly Cell[] {
    return [...this.#cells.values()];
  }

  clear(): void {
    this.#cells.clear();
  }

  #findCounts(endpointClass: string, name: string): LimitCounts {
    const key = `${endpointClass}|${name}`;
    const cell = this.#cells.get(key) ?? { class: endpointClass, name, counts: createLimitCounts() };
    this.#cells.set(key, cell);
    return cell.counts;
  }
}
