import { withoutTokens } from '@/lib/logging/without-tokens';
import type { DecisionEvent } from '@/lib/statistics/decision-event';

/** Rows of the decisions log a second; further decisions are only counted. */
export const KEPT_PER_SECOND = 100;
/** Of these, rows of one identifier, so that an attacker does not displace all others from the log. */
export const KEPT_PER_IDENTIFIER = 10;
/** Most rows that wait while the database is down; the oldest are dropped. */
const MOST_WAITING = 2_000;
const LONGEST_TEXT = 512;

/** Refusals, bypasses and degraded decisions, until they are written to the decisions log. */
export class NotableDecisions {
  #waiting: DecisionEvent[] = [];
  #second = 0;
  #kept = 0;
  readonly #keptOf = new Map<string, number>();
  #skipped = 0;

  /** @param hide removes secrets from path and request id, which the client chooses */
  constructor(private readonly hide: (text: string) => string = withoutTokens) {}

  /** Decisions that are counted but not in the log. */
  get skipped(): number {
    return this.#skipped;
  }

  add(event: DecisionEvent): void {
    const second = Math.floor(event.at / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#kept = 0;
      this.#keptOf.clear();
    }
    if (this.#kept >= KEPT_PER_SECOND) {
      this.#skipped += 1;
      return;
    }
    const identifier = event.identifier ?? '';
    const of = this.#keptOf.get(identifier) ?? 0;
    if (of >= KEPT_PER_IDENTIFIER) {
      this.#skipped += 1;
      return;
    }
    this.#keptOf.set(identifier, of + 1);
    this.#kept += 1;
    this.#waiting.push(event);
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      this.#skipped += 1;
    }
  }

  /** The oldest that wait, as rows for `addDecisions`. */
  take(most: number): (string | number | null)[][] {
    return this.#waiting
      .splice(0, most)
      .map((event) => [
        event.at,
        event.outcome,
        event.class,
        event.reason,
        event.subjectType,
        short(event.identifier),
        short(event.method),
        short(this.#hidden(event.path)),
        short(event.ip),
        short(event.userId),
        event.apiKeyId,
        this.#hidden(event.requestId),
      ]);
  }

  #hidden(text: string | null): string | null {
    return text === null ? null : this.hide(text);
  }
}

function short(text: string | null): string | null {
  return text === null || text.length <= LONGEST_TEXT ? text : text.slice(0, LONGEST_TEXT);
}
