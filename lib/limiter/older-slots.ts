/**
 * The hits of a window in the slots before its newest. They change no more while that is the newest, so all states of the
 * counter share them, with their sum.
 */
export class OlderSlots {
  /** Of all of them; stops at 2^53 - 1. */
  readonly sum: number;

  /** @param hits of the slot before the newest, the one before that, and so on */
  constructor(readonly hits: string | readonly number[]) {
    let sum = 0;
    for (let i = 0; i < hits.length; i += 1) sum = Math.min(Number.MAX_SAFE_INTEGER, sum + this.at(i));
    this.sum = sum;
  }

  get length(): number {
    return this.hits.length;
  }

  /** 0 beyond the oldest. */
  at(index: number): number {
    const { hits } = this;
    if (index < 0 || index >= hits.length) return 0;
    return typeof hits === 'string' ? hitsOf(hits.charCodeAt(index)) : (hits[index] ?? 0);
  }
}

export const NO_OLDER_SLOTS = new OlderSlots([]);

const [FIRST, BACKSLASH] = [35, 92];
/** Their characters come before the surrogates, which are none alone. */
const MOST = 55_000;

function hitsOf(unit: number): number {
  return unit > BACKSLASH ? unit - FIRST - 1 : unit - FIRST;
}

/**
 * Hits as a text of one character for each slot, in a third of the memory of numbers: from `#`, which is 0, without the
 * backslash, so that the text stands in JSON as it is. Themselves where one of them is above 55,000.
 */
export function packedHits(hits: readonly number[]): string | readonly number[] {
  const units: number[] = [];
  for (let i = 0; i < hits.length; i += 1) {
    const count = hits[i] ?? 0;
    if (count > MOST) return hits;
    units.push(count < BACKSLASH - FIRST ? count + FIRST : count + FIRST + 1);
  }
  return String.fromCharCode.apply(null, units);
}

/** Whether a text can be one of `packedHits`. */
export function isPackedHits(text: string): boolean {
  return /^[#-[\]-\uD7FF]*$/.test(text);
}
