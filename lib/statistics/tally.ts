import { ERROR_STATUS } from '@/lib/http/api-error';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';

export type DecisionOutcome = DecisionEvent['outcome'];

export const OUTCOMES = ['allowed', 'refused', 'bypassed', 'degraded'] as const satisfies readonly DecisionOutcome[];

/** The empty reason is that of all decisions but refusals. */
const REASONS: readonly string[] = ['', ...Object.keys(ERROR_STATUS)];

/** Class, outcome and reason of each count in a tally. */
const CELLS = ENDPOINT_CLASSES.flatMap((endpointClass) =>
  OUTCOMES.flatMap((outcome) => REASONS.map((reason) => ({ class: endpointClass, outcome, reason }))),
);

/** One count for every combination of class, outcome and reason. */
export type Tally = Float64Array;
export type TallyCell = (typeof CELLS)[number] & { count: number };

export function emptyTally(): Tally {
  return new Float64Array(CELLS.length);
}

/** The index of a decision's count, without an allocation. */
export function cellOf(event: Pick<DecisionEvent, 'class' | 'outcome' | 'reason'>): number {
  const row = ENDPOINT_CLASSES.indexOf(event.class) * OUTCOMES.length + OUTCOMES.indexOf(event.outcome);
  return row * REASONS.length + (event.reason === null ? 0 : REASONS.indexOf(event.reason));
}

export function countIn(tally: Tally, cell: number): void {
  tally[cell] = (tally[cell] ?? 0) + 1;
}

/** All counts above 0. */
export function cellsOf(tally: Tally): TallyCell[] {
  return CELLS.map((cell, index) => ({ ...cell, count: tally[index] ?? 0 })).filter(({ count }) => count > 0);
}
