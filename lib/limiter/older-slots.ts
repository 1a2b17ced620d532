/**
 * The hits of a window in the slots before its newest. They change no more while that is the newest, so all states of the
 * counter share them, with their sum.
 */
export class OlderSlots {
  readonly length: number;
  /** Of all of them; stops at 2^53 - 1. */
  readonly sum: number;
  /** Digits of each slot in a text. */
  readonly #digits: number;

  /** @param hits of the slot before the newest, the one before that, and so on: numbers, or a text of `packedHits` */
  constructor(readonly hits: string | readonly number[]) {
    this.#digits = typeof hits === 'string' ? Number(hits[0] ?? 1) : 0;
    this.length = typeof hits === 'string' ? Math.trunc((hits.length - 1) / this.#digits) : hits.length;
    let sum = 0;
    for (let i = 0; i < this.length; i += 1) sum = Math.min(Number.MAX_SAFE_INTEGER, sum + this.at(i));
    this.sum = sum;
  }

  /** 0 beyond the oldest. */
  at(index: number): number {
    if (index < 0 || index >= this.length) return 0;
    const { hits } = this;
    if (typeof hits !== 'string') return hits[index] ?? 0;
    const digits = this.#digits;
    if (digits === 1) return digitOf(hits.charCodeAt(1 + index));
    let count = 0;
    for (let i = 1 + index * digits; i <= (1 + index) * digits; i += 1)
      count = count * BASE + digitOf(hits.charCodeAt(i));
    return count;
  }
}

export const NO_OLDER_SLOTS = new OlderSlots([]);

const BASE = 91;
const MOST_DIGITS = 3;
const [FIRST, BACKSLASH] = [35, 92];

function digitOf(unit: number): number {
  return unit > BACKSLASH ? unit - FIRST - 1 : unit - FIRST;
}

function unitOf(digit: number): number {
  return digit < BACKSLASH - FIRST ? digit + FIRST : digit + FIRST + 1;
}

/**
 * Hits as an ASCII text, in a fraction of the memory of numbers: how many digits each slot has, then those of each. Digits
 * are of base 91, from `#`, which is 0, to `~`, without the backslash, so that the text stands in JSON as it is. Themselves
 * where three digits are too few for one of them.
 */
export function packedHits(hits: readonly number[]): string | readonly number[] {
  let most = 0;
  for (let i = 0; i < hits.length; i += 1) most = Math.max(most, hits[i] ?? 0);
  let digits = 1;
  for (let room = BASE; room <= most; room *= BASE) digits += 1;
  if (digits > MOST_DIGITS) return hits;
  const units = [48 + digits];
  for (let i = 0; i < hits.length; i += 1) {
    const count = hits[i] ?? 0;
    if (digits > 2) units.push(unitOf(Math.trunc(count / BASE ** 2)));
    if (digits > 1) units.push(unitOf(Math.trunc(count / BASE) % BASE));
    units.push(unitOf(count % BASE));
  }
  return String.fromCharCode.apply(null, units);
}

/** Whether a text can be one of `packedHits`. */
export function isPackedHits(text: string): boolean {
  return /^[1-3][#-[\]-~]*$/.test(text);
}
