import type { EndpointClass } from '@/lib/limiter/meter';

/** A refused identifier and its refusals since it entered the list. */
export interface RefusedIdentifier {
  type: string;
  identifier: string;
  class: EndpointClass;
  /** A lower bound. */
  hits: number;
}

/** Readers of the list, each with its own position: the counts of the minute, and those of longer steps. */
type Reader = 'minute' | 'longer';

interface Entry extends RefusedIdentifier {
  /** The counter of Misra and Gries; at 0 the entry is removed. */
  weight: number;
  /** How many of `hits` each reader has taken. */
  taken: Record<Reader, number>;
}

/**
 * The most refused identifiers in bounded memory (Misra and Gries, "Finding repeated elements", 1982): the list has every
 * identifier with more than 1/capacity of all refusals. An attacker with a million addresses cannot make it grow. Adding
 * costs amortised O(1).
 */
export class TopIdentifiers {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly capacity = 1_024) {}

  add(type: string, identifier: string, endpointClass: EndpointClass): void {
    const key = `${type}|${endpointClass}|${identifier}`;
    const existing = this.#entries.get(key);
    if (existing !== undefined) {
      existing.hits += 1;
      existing.weight += 1;
    } else if (this.#entries.size < this.capacity) {
      this.#entries.set(key, {
        type,
        identifier,
        class: endpointClass,
        hits: 1,
        weight: 1,
        taken: { minute: 0, longer: 0 },
      });
    } else {
      for (const [other, entry] of this.#entries) {
        entry.weight -= 1;
        if (entry.weight === 0) this.#entries.delete(other);
      }
    }
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** The `most` refused identifiers since this reader took last, most refused first. */
  take(most: number, reader: Reader): RefusedIdentifier[] {
    const fresh = [...this.#entries.values()].filter((entry) => entry.hits > entry.taken[reader]);
    fresh.sort((a, b) => b.hits - a.hits);
    return fresh.slice(0, most).map((entry) => {
      const hits = entry.hits - entry.taken[reader];
      entry.taken[reader] = entry.hits;
      return { type: entry.type, identifier: entry.identifier, class: entry.class, hits };
    });
  }
}
