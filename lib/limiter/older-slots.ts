/**
 * The hits of a window in the slots before its newest. They change no more while that is the newest, so all states of the
 * counter share them, with their sum.
 */
export class OlderSlots {
  readonly length: number;
  #sum = -1;

  /** @param hits of the slot before the newest, the one before that, and so on: numbers, or their digits as `formatSlots` writes them */
  constructor(public hits: string | readonly number[]) {
    this.length = typeof hits === 'string' ? Math.trunc((hits.length - 1) / countDigits(hits)) : hits.length;
  }

  /** Of all of them; stops at 2^53 - 1. */
  get sum(): number {
    if (this.#sum >= 0) return this.#sum;
    let sum = 0;
    for (let i = 0; i < this.length; i += 1) sum = Math.min(Number.MAX_SAFE_INTEGER, sum + this.at(i));
    this.#sum = sum;
    return sum;
  }

  /** 0 beyond the oldest. */
  at(index: number): number {
    if (index < 0 || index >= this.length) return 0;
    const { hits } = this;
    if (typeof hits !== 'string') return hits[index] ?? 0;
    const digits = countDigits(hits);
    let count = 0;
    for (let i = 1 + index * digits; i <= (1 + index) * digits; i += 1)
      count = count * BASE + decodeDigit(hits.charCodeAt(i));
    return count;
  }
}

export const NO_OLDER_SLOTS = new OlderSlots([]);

/** Of the digits in a text of hits, which go from `#` to `~`, without the backslash, which JSON would escape. */
export const BASE = 91;
/** The characters of the digit 0, and of the backslash. */
export const [ZERO, BACKSLASH] = [35, 92];

/** How many digits each slot has, which the text says first. */
export function countDigits(text: string): number {
  return text.charCodeAt(0) - 48;
}

function decodeDigit(unit: number): number {
  return unit > BACKSLASH ? unit - ZERO - 1 : unit - ZERO;
}
