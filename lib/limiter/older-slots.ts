/**
 * The hits of a window in the slots before its newest. They change no more while that is the newest, so all states of the
 * counter share them, with their sum.
 */
export class OlderSlots {
  readonly length: number;
  #sum = -1;

  /** @param hits of the slot before the newest, the one before that, and so on: numbers, or their digits as `slotsText` writes them */
  constructor(public hits: string | readonly number[]) {
    this.length = typeof hits === 'string' ? Math.trunc((hits.length - 1) / digitsOf(hits)) : hits.length;
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
    const digits = digitsOf(hits);
    let count = 0;
    for (let i = 1 + index * digits; i <= (1 + index) * digits; i += 1)
      count = count * BASE + digitOf(hits.charCodeAt(i));
    return count;
  }

  /**
   * The slots before another newest one.
   * @param latest hits in the one that was the newest
   * @param later how many slots later the other one is, at least 1
   * @param most slots to keep; of these, the oldest without hits go
   */
  before(latest: number, later: number, most: number): OlderSlots {
    let kept = Math.min(this.length, most - later);
    while (kept > 0 && this.at(kept - 1) === 0) kept -= 1;
    if (kept < 0 || (kept === 0 && latest === 0)) return NO_OLDER_SLOTS;
    const { hits } = this;
    if (latest < BASE && (kept === 0 || (typeof hits === 'string' && digitsOf(hits) === 1))) {
      const text = kept === 0 ? '' : (hits as string).slice(1, 1 + kept);
      return new OlderSlots(`1${NO_HITS.repeat(later - 1)}${CHARACTERS[latest]}${text}`);
    }
    const numbers: number[] = Array(later - 1).fill(0);
    numbers.push(latest);
    for (let i = 0; i < kept; i += 1) numbers.push(this.at(i));
    return new OlderSlots(numbers);
  }
}

export const NO_OLDER_SLOTS = new OlderSlots([]);

/** Of the digits in a text of hits, which go from `#` to `~`, without the backslash, which JSON would escape. */
export const BASE = 91;
/** The characters of the digit 0, and of the backslash. */
export const [ZERO, BACKSLASH] = [35, 92];

/** The character of a digit. */
export function unitOf(digit: number): number {
  return digit < BACKSLASH - ZERO ? digit + ZERO : digit + ZERO + 1;
}

const CHARACTERS = Array.from({ length: BASE }, (_, digit) => String.fromCharCode(unitOf(digit)));
const NO_HITS = String.fromCharCode(ZERO);

/** How many digits each slot has, which the text says first. */
function digitsOf(text: string): number {
  return text.charCodeAt(0) - 48;
}

function digitOf(unit: number): number {
  return unit > BACKSLASH ? unit - ZERO - 1 : unit - ZERO;
}
