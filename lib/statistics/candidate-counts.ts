import type { CandidateOutcome } from '@/lib/statistics/decision-event';
import type { Millis } from '@/lib/units';

/** Most rows of identifiers that wait to be written. Identifiers beyond it count only in the sums. */
const MOST_WAITING = 10_000;

/** A row of the `candidate_counts` table, in the order of its columns. */
export type CandidateRow = [
  candidate: string,
  identifier: string,
  requests: number,
  wouldRefuse: number,
  wouldAllow: number,
  firstAt: Millis,
  lastAt: Millis,
];

/**
 * Decisions since the last write that candidate limits would have changed. Adding takes two look-ups, and memory is
 * bounded.
 */
export class CandidateCounts {
  readonly #sums = new Map<string, CandidateRow>();
  readonly #rows = new Map<string, CandidateRow>();

  add(outcomes: readonly CandidateOutcome[], at: Millis): void {
    for (const { id, identifier, would } of outcomes) {
      count(this.#sums, id, [id, ''], would, at);
      if (identifier === null) continue;
      const name = `${id}|${identifier}`;
      if (this.#rows.size < MOST_WAITING || this.#rows.has(name)) count(this.#rows, name, [id, identifier], would, at);
    }
  }

  /** Removes and returns the sums, and the oldest rows of identifiers. */
  take(most: number): CandidateRow[] {
    const taken = [...this.#sums.values()];
    this.#sums.clear();
    for (const [name, row] of this.#rows) {
      if (taken.length >= most) break;
      this.#rows.delete(name);
      taken.push(row);
    }
    return taken;
  }
}

function count(
  rows: Map<string, CandidateRow>,
  name: string,
  of: [candidate: string, identifier: string],
  would: CandidateOutcome['would'],
  at: Millis,
): void {
  const row = rows.get(name) ?? [...of, 0, 0, 0, at, at];
  rows.set(name, row);
  row[2] += 1;
  if (would === 'refuse') row[3] += 1;
  if (would === 'allow') row[4] += 1;
  row[6] = at;
}
