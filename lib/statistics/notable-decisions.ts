import { withoutTokens } from '@/lib/logging/without-tokens';
import type { DecisionEvent } from '@/lib/statistics/decision-event';

/** Rows added to the decisions log per second. Further decisions are only counted. */
export const KEPT_PER_SECOND = 100;
/** Rows of one identifier among these, so that an attacker does not displace all others from the log. */
export const KEPT_PER_IDENTIFIER = 10;
/** Most rows that wait while the database is down. The oldest are dropped. */
const MOST_WAITING = 2_000;
const LONGEST_TEXT = 512;

/** Refusals, bypasses and degraded decisions that wait to be written to the decisions log. */
export class NotableDecisions {
  #waiting: DecisionEvent[] = [];
  #second = 0;
  #kept = 0;
  readonly #keptOf = new Map<string, number>();
  /** Decisions that are counted but not in the log. */
  skipped = 0;

  /** @param hide removes secrets from path and request id, which the client chooses */
  constructor(private readonly hide: (text: string) => string = withoutTokens) {}

  add(event: DecisionEvent): void {
    const second = Math.floor(event.at / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#kept = 0;
      this.#keptOf.clear();
    }
    const identifier = event.identifier ?? '';
    const of = this.#keptOf.get(identifier) ?? 0;
    if (this.#kept >= KEPT_PER_SECOND || of >= KEPT_PER_IDENTIFIER) {
      this.skipped += 1;
      return;
    }
    this.#keptOf.set(identifier, of + 1);
    this.#kept += 1;
    this.#waiting.push(event);
    if (this.#waiting.length > MOST_WAITING) {
      this.#waiting.shift();
      this.skipped += 1;
    }
  }

  /** Removes and returns the oldest waiting decisions, as rows for `addDecisions`. */
  take(most: number): (string | number | null)[][] {
    const hidden = (text: string | null) => text && this.hide(text);
    return this.#waiting.splice(0, most).map((event) => {
      const { at, outcome, reason, subjectType, identifier, method, path, ip, userId, apiKeyId, requestId } = event;
      const client = [method, hidden(path), ip, userId].map(truncate);
      const subject = [subjectType, truncate(identifier)];
      const { refusedBy, cost, retryAfter, source, sourceId } = event;
      const limit = [refusedBy?.limit ?? null, refusedBy?.window ?? null, refusedBy?.used ?? null];
      const measured = [...limit, cost, retryAfter, refusedBy?.reset ?? null, source, sourceId];
      return [at, outcome, event.class, reason, ...subject, ...client, apiKeyId, hidden(requestId), ...measured];
    });
  }
}

function truncate(text: string | null): string | null {
  return text?.slice(0, LONGEST_TEXT) ?? null;
}
