/**
 * Hits in the slots before the newest. They do not change while the newest slot stays, so all states of a counter share
 * them and their sum.
 */
export class OlderSlots {
  readonly length: number;

  /**
   * @param hits hits of the slot before the newest, then of the slot before that, and so on: numbers, or the digits
   * that `formatSlots` writes
   * @param sum sum of the hits, at most 2^53 - 1; negative before it was computed
   */
  constructor(
    public hits: string | readonly number[],
    public sum = -1,
  ) {
    this.length = typeof hits === 'string' ? Math.trunc((hits.length - 1) / countDigits(hits)) : hits.length;
  }

  /** Returns the hits of a slot, or 0 if `index` is beyond the oldest. */
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

/** Base of the digits in a text of hits. Digits go from `#` to `~`, without the backslash, which JSON would escape. */
export const BASE = 91;
/** Character codes of the digit 0 and of the backslash. */
export const [ZERO, BACKSLASH] = [35, 92];

/** Returns the number of digits per slot, which is the first character of the text. */
export function countDigits(text: string): number {
  return text.charCodeAt(0) - 48;
}

function decodeDigit(unit: number): number {
  return unit > BACKSLASH ? unit - ZERO - 1 : unit - ZERO;
}
