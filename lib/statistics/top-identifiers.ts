import type { EndpointClass } from '@/lib/limiter/meter';

/** An identifier that was refused, and how often since it is in the list. */
export interface RefusedIdentifier {
  type: string;
  identifier: string;
  class: EndpointClass;
  /** Never more than it really was refused. */
  hits: number;
}

/** Who takes from the list: the counts of the running minute, or those of longer steps, each at their own pace. */
type Reader = 'minute' | 'longer';

interface Entry extends RefusedIdentifier {
  /** What Misra and Gries count; the entry goes when it is used up. */
  weight: number;
  /** How much of `hits` was handed out by `take`, for each of its readers. */
  taken: Record<Reader, number>;
}

/**
 * The identifiers that are refused most, in bounded memory (Misra and Gries, "Finding repeated elements", 1982): every
 * identifier with more than 1/capacity of all refusals is in the list, whatever the others do. An attacker with a
 * million addresses cannot make it grow. Adding costs O(1), amortised.
 */
export class TopIdentifiers {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly capacity = 1_024) {}

  add(type: string, identifier: string, endpointClass: EndpointClass): void {
    const key = `${type}|${endpointClass}|${identifier}`;
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.hits += 1;
      known.weight += 1;
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

  /** What the first `most` of the list were refused since this reader took last. */
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
