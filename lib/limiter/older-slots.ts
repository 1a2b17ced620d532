/**
 * The hits of a window in the slots before its newest. They change no more while that is the newest, so all states of the
 * counter share them, with what was worked out of them.
 */
export class OlderSlots {
  /** Of the slot before the newest, the one before that, and so on: see `packed`. */
  readonly hits: PackedHits;
  /** Of all of them; stops at 2^53 - 1. */
  readonly sum: number;
  /** Undefined until it was asked for once, null until twice: most are asked for once, and it is longer than `hits`. */
  #text: string | null | undefined;

  constructor(hits: readonly number[]) {
    this.hits = packed(hits);
    let sum = 0;
    for (let i = 0; i < hits.length; i += 1) sum = Math.min(Number.MAX_SAFE_INTEGER, sum + (hits[i] ?? 0));
    this.sum = sum;
  }

  get length(): number {
    return this.hits.length;
  }

  /** 0 beyond the oldest. */
  at(index: number): number {
    const { hits } = this;
    if (index < 0 || index >= hits.length) return 0;
    return typeof hits === 'string' ? hits.charCodeAt(index) : (hits[index] ?? 0);
  }

  /** What `write` makes of them, remembered. Always the same function. */
  textBy(write: (hits: PackedHits) => string): string {
    if (typeof this.#text === 'string') return this.#text;
    const text = write(this.hits);
    this.#text = this.#text === undefined ? null : text;
    return text;
  }
}

export const NO_OLDER_SLOTS = new OlderSlots([]);

/** Hits in a third of their memory: one UTF-16 unit for each slot, where all are below 65,536. */
export type PackedHits = string | readonly number[];

function packed(hits: readonly number[]): PackedHits {
  for (let i = 0; i < hits.length; i += 1) if ((hits[i] ?? 0) >= 65_536) return hits;
  return String.fromCharCode.apply(null, hits as number[]);
}
