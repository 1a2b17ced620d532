import { ERROR_STATUS } from '@/lib/http/api-error';
import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';
import type { DecisionEvent } from '@/lib/statistics/decision-event';

export type DecisionOutcome = DecisionEvent['outcome'];

export const OUTCOMES = ['allowed', 'refused', 'bypassed', 'degraded'] as const satisfies readonly DecisionOutcome[];

/** The empty reason is that of all decisions but refusals. */
const REASONS: readonly string[] = ['', ...Object.keys(ERROR_STATUS)];

const CLASS_INDEX: Readonly<Record<string, number>> = indexOf(ENDPOINT_CLASSES);
const OUTCOME_INDEX: Readonly<Record<string, number>> = indexOf(OUTCOMES);
const REASON_INDEX: Readonly<Record<string, number>> = indexOf(REASONS);

/** One count for every combination of class, outcome and reason. */
export type Tally = Float64Array;

export interface TallyCell {
  class: EndpointClass;
  outcome: DecisionOutcome;
  /** The error code of a refusal, else empty. */
  reason: string;
  count: number;
}

function indexOf(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, index]));
}

export function emptyTally(): Tally {
  return new Float64Array(ENDPOINT_CLASSES.length * OUTCOMES.length * REASONS.length);
}

/** The index of a decision's count: three look-ups, no allocation. */
export function cellOf(event: Pick<DecisionEvent, 'class' | 'outcome' | 'reason'>): number {
  const row = (CLASS_INDEX[event.class] ?? 0) * OUTCOMES.length + (OUTCOME_INDEX[event.outcome] ?? 0);
  return row * REASONS.length + (event.reason === null ? 0 : (REASON_INDEX[event.reason] ?? 0));
}

export function countIn(tally: Tally, cell: number): void {
  tally[cell] = (tally[cell] ?? 0) + 1;
}

/** All counts above 0. */
export function cellsOf(tally: Tally): TallyCell[] {
  const cells: TallyCell[] = [];
  let index = 0;
  for (const endpointClass of ENDPOINT_CLASSES) {
    for (const outcome of OUTCOMES) {
      for (const reason of REASONS) {
        const count = tally[index] ?? 0;
        if (count > 0) cells.push({ class: endpointClass, outcome, reason, count });
        index += 1;
      }
    }
  }
  return cells;
}
