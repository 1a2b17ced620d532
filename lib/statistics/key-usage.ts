import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { DAY } from '@/lib/statistics/step';

/** Keys and subjects that wait while the database is out of reach; more are not remembered. */
const MOST_WAITING = 100_000;

interface KeyDay {
  apiKeyId: string;
  day: number;
  allowed: number;
  refused: number;
}

/** What each API key was used for on each day, and when credentials and overrides were used last. */
export class KeyUsage {
  readonly #days = new Map<string, KeyDay>();
  readonly #lastUses = new Map<string, number>();
  readonly #written = new Set<string>();

  add(event: DecisionEvent, apiKeyId: string): void {
    const day = event.at - (event.at % DAY);
    let entry = this.#days.get(apiKeyId);
    if (entry !== undefined && entry.day !== day) {
      // The day before, not written yet, makes room under another name.
      this.#days.set(`${apiKeyId}|${entry.day}`, entry);
      entry = undefined;
    }
    if (entry === undefined) {
      if (this.#days.size >= MOST_WAITING) return;
      entry = { apiKeyId, day, allowed: 0, refused: 0 };
      this.#days.set(apiKeyId, entry);
    }
    if (event.outcome === 'refused') entry.refused += event.cost;
    else entry.allowed += event.cost;
    this.use(`api_key:${apiKeyId}`, event.at);
  }

  /** @param subject `api_key:<id>`, `override:<id>`, `token:<id>` or `member:<id>` */
  use(subject: string, at: number): void {
    if (this.#lastUses.size < MOST_WAITING || this.#lastUses.has(subject)) this.#lastUses.set(subject, at);
  }

  /** Rows of the `key_days` table. */
  takeDays(most: number): [apiKeyId: string, day: number, allowed: number, refused: number][] {
    const taken = firstOf(this.#days, most).map(([, one]) => one);
    this.keepKeys(taken.map((one) => one.apiKeyId));
    return taken.map((one) => [one.apiKeyId, one.day, one.allowed, one.refused]);
  }

  /** Keys that `takeDays` has handed out since this was asked last. */
  takeKeys(most: number): string[] {
    const keys = [...this.#written].slice(0, most);
    for (const key of keys) this.#written.delete(key);
    return keys;
  }

  /** Adds to what `takeKeys` hands out. */
  keepKeys(apiKeyIds: readonly string[]): void {
    for (const id of apiKeyIds) if (this.#written.size < MOST_WAITING) this.#written.add(id);
  }

  /** Rows of the `last_uses` table. */
  takeLastUses(most: number): [subject: string, at: number][] {
    return firstOf(this.#lastUses, most);
  }
}

/** Takes the entries that have been in the map longest. */
function firstOf<T>(map: Map<string, T>, most: number): [string, T][] {
  const taken: [string, T][] = [];
  for (const entry of map) {
    if (taken.length >= most) break;
    taken.push(entry);
  }
  for (const [key] of taken) map.delete(key);
  return taken;
}
